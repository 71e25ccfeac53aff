// Small charts: lines over a common axis, logarithmic where asked for.
export interface Line {
  name: string;
  values: ArrayLike<number>;
  across?: ArrayLike<number>;
  colour: string;
  dashed?: boolean;
  dots?: boolean;
}
const [width, height, left, bottom] = [320, 150, 44, 20];

export function Chart(props: { lines: Line[]; label: string; logY?: boolean; logX?: boolean; marker?: number; top?: number }) {
  // What is above `top` runs along it: a first value may be a hundred times the last.
  const capped = (v: number) => (props.top !== undefined && v > props.top ? props.top : v);
  const usable = (v: number, log?: boolean) => Number.isFinite(v) && (!log || v > 0);
  let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const line of props.lines)
    for (let i = 0; i < line.values.length; ++i) {
      const [x, y] = [line.across ? line.across[i] : i, capped(line.values[i])];
      if (!usable(y, props.logY) || !usable(x, props.logX)) continue;
      [x0, x1, y0, y1] = [Math.min(x0, x), Math.max(x1, x), Math.min(y0, y), Math.max(y1, y)];
    }
  if (!(x1 >= x0)) return null;
  const to = (v: number, low: number, high: number, log?: boolean) => {
    const f = log ? Math.log10 : (u: number) => u;
    return f(high) === f(low) ? 0.5 : (f(v) - f(low)) / (f(high) - f(low));
  };
  const px = (x: number) => left + to(x, x0, x1, props.logX) * (width - left - 6);
  const py = (y: number) => height - bottom - to(y, y0, y1, props.logY) * (height - bottom - 8);
  const text = (v: number) => (v !== 0 && (Math.abs(v) >= 1e4 || Math.abs(v) < 1e-2) ? v.toExponential(0) : String(Number(v.toPrecision(3))));
  return (
    <svg class="chart" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={props.label}>
      <path d={`M${left} 6V${height - bottom}H${width - 4}`} class="frame" />
      <text x={left - 4} y={14} text-anchor="end">{text(y1)}</text>
      <text x={left - 4} y={height - bottom} text-anchor="end">{text(y0)}</text>
      <text x={left} y={height - 6}>{text(x0)}</text>
      <text x={width - 4} y={height - 6} text-anchor="end">{text(x1)}</text>
      {props.lines.map((line) => {
        const points: [number, number][] = [];
        for (let i = 0; i < line.values.length; ++i) {
          const [x, y] = [line.across ? line.across[i] : i, capped(line.values[i])];
          if (usable(y, props.logY) && usable(x, props.logX)) points.push([px(x), py(y)]);
        }
        return (
          <g key={line.name}>
            <path d={points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("")} stroke={line.colour} class={line.dashed ? "line dashed" : "line"} />
            {line.dots && points.map(([x, y], i) => <circle key={i} cx={x} cy={y} r={1.8} fill={line.colour} />)}
          </g>
        );
      })}
      {props.marker !== undefined && usable(props.marker, props.logX) && <line x1={px(props.marker)} x2={px(props.marker)} y1={6} y2={height - bottom} class="marker" />}
    </svg>
  );
}
export function Legend({ lines }: { lines: { name: string; colour: string }[] }) {
  return (
    <p class="legend">
      {lines.map((line) => (
        <span key={line.name}>
          <i style={{ background: line.colour }} aria-hidden="true" /> {line.name}
        </span>
      ))}
    </p>
  );
}
