// The points in the space of an explicit feature map: three of its coordinates, turned by hand.
import { useRef, useState } from "preact/hooks";
import { css, palette } from "./colours";
import { shape } from "./points";

const size = 260;

export function Cloud(props: { features: ArrayLike<number>; dims: number; names: string[]; classes: number[]; dark: boolean; label: string }) {
  const { features, dims, names, classes } = props;
  const [turn, setTurn] = useState<[number, number]>([0.7, 0.35]);
  const from = useRef<{ x: number; y: number; turn: [number, number] } | null>(null);
  // A constant coordinate shows nothing: the last three that vary, which are those of the highest degree.
  const spread = (j: number): [number, number] => {
    let [low, high] = [Infinity, -Infinity];
    for (let i = 0; i < classes.length; ++i) [low, high] = [Math.min(low, features[i * dims + j]), Math.max(high, features[i * dims + j])];
    return [low, high];
  };
  const shown = names.map((_, j) => j).filter((j) => spread(j)[1] - spread(j)[0] > 1e-12);
  const axes = shown.slice(-3);
  const ranges = axes.map(spread);
  const project = (v: number[]): [number, number, number] => {
    const [x, y, z] = [v[0] ?? 0, v[1] ?? 0, v[2] ?? 0];
    const [cy, sy, cx, sx] = [Math.cos(turn[0]), Math.sin(turn[0]), Math.cos(turn[1]), Math.sin(turn[1])];
    const [x1, y1] = [x * cy - y * sy, x * sy + y * cy];
    return [size / 2 + 76 * x1, size / 2 - 76 * (z * cx - y1 * sx) + 4, y1 * cx + z * sx];
  };
  const at = (i: number) => project(axes.map((j, k) => (2 * (features[i * dims + j] - ranges[k][0])) / (ranges[k][1] - ranges[k][0] || 1) - 1));
  const order = classes.map((_, i) => ({ i, p: at(i) })).sort((a, b) => b.p[2] - a.p[2]);
  const corner = (k: number, v: number) => project([0, 1, 2].map((j) => (j === k ? v : -1)));
  return (
    <svg
      class="chart cloud"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={props.label}
      tabIndex={0}
      onKeyDown={(event) => {
        const step: Record<string, [number, number]> = { ArrowLeft: [-0.15, 0], ArrowRight: [0.15, 0], ArrowUp: [0, 0.15], ArrowDown: [0, -0.15] };
        const d = step[event.key];
        if (!d) return;
        event.preventDefault();
        setTurn([turn[0] + d[0], turn[1] + d[1]]);
      }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { x: event.clientX, y: event.clientY, turn };
      }}
      onPointerMove={(event) => {
        const f = from.current;
        if (f) setTurn([f.turn[0] + (event.clientX - f.x) / 90, Math.max(-1.5, Math.min(1.5, f.turn[1] + (event.clientY - f.y) / 90))]);
      }}
      onPointerUp={() => (from.current = null)}
    >
      {axes.map((j, k) => {
        const [a, b] = [corner(k, -1), corner(k, 1)];
        return (
          <g key={j}>
            <line x1={a[0]} y1={a[1]} x2={b[0]} y2={b[1]} class="marker" />
            <text x={b[0]} y={b[1] - 5} text-anchor="middle">
              {names[j]}
            </text>
          </g>
        );
      })}
      {order.map(({ i, p }) => (
        <path key={i} d={shape(classes[i], p[0], p[1], 4.4 - 0.8 * p[2])} fill={css(palette(props.dark)[classes[i] % 6])} opacity={0.9} />
      ))}
    </svg>
  );
}
