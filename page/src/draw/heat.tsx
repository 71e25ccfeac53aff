// A matrix as colours, its rows and columns in a given order; a cell under the pointer is told.
import { useEffect, useRef } from "preact/hooks";
import { diverging } from "./colours";

export function Heat(props: { entries: ArrayLike<number>; n: number; order: number[]; dark: boolean; label: string; marked: [number, number]; hover(i: number, j: number): void; choose?(i: number, j: number): void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { entries, n, order, dark, marked } = props;
  useEffect(() => {
    const surface = canvas.current!;
    surface.width = surface.height = n;
    const context = surface.getContext("2d")!;
    const image = context.createImageData(n, n);
    // The scale ends where all but a few entries do.
    const sizes = Float64Array.from(entries, Math.abs).sort();
    const most = sizes[Math.floor(0.99 * (sizes.length - 1))] || 1;
    for (let r = 0; r < n; ++r)
      for (let c = 0; c < n; ++c) {
        const colour = diverging(entries[order[r] * n + order[c]] / most, dark);
        image.data.set([...colour, 255], 4 * (r * n + c));
      }
    context.putImageData(image, 0, 0);
  }, [entries, order, dark]);
  const cell = (event: PointerEvent): [number, number] => {
    const box = canvas.current!.getBoundingClientRect();
    const at = (v: number, size: number) => order[Math.min(n - 1, Math.max(0, Math.floor((v / size) * n)))];
    return [at(event.clientY - box.top, box.height), at(event.clientX - box.left, box.width)];
  };
  const place = (i: number) => (order.indexOf(i) + 0.5) / n;
  return (
    <div class="heat">
      <canvas ref={canvas} role="img" aria-label={props.label} onPointerMove={(event) => props.hover(...cell(event))} onPointerLeave={() => props.hover(-1, -1)} onClick={(event) => props.choose?.(...cell(event as unknown as PointerEvent))} />
      {marked[0] >= 0 && <span class="mark across" style={{ top: `${100 * place(marked[0])}%` }} />}
      {marked[1] >= 0 && <span class="mark down" style={{ left: `${100 * place(marked[1])}%` }} />}
    </div>
  );
}
