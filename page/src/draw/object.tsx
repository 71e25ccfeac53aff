// One object, small: letters, a graph, a series, or its text; its parts in the colours of what they did.
import type { ObjectShown } from "../protocol";
import { css, palette, type Rgb } from "./colours";

// How much each part, a byte of a text or a node of a graph, spoke for one class or the other.
export interface Shares {
  parts: ArrayLike<number>;
  positive: Rgb;
  negative: Rgb;
}
function shade(shares: Shares | null, count: number): (part: number) => string {
  if (shares?.parts.length !== count) return () => "transparent";
  const { parts, positive, negative } = shares;
  let most = 1e-12;
  for (let i = 0; i < count; ++i) most = Math.max(most, Math.abs(parts[i]));
  return (i) => {
    const c = parts[i] < 0 ? negative : positive;
    return `rgb(${c[0]} ${c[1]} ${c[2]} / ${((0.6 * Math.abs(parts[i])) / most).toFixed(2)})`;
  };
}

function Letters({ text, shares }: { text: string; shares: Shares | null }) {
  if (!shares) return <>{text}</>;
  const bytes = (part: string) => new TextEncoder().encode(part).length;
  const colour = shade(shares, bytes(text));
  let at = 0;
  return (
    <span>
      {[...text].map((letter, i) => {
        const background = colour(at);
        at += bytes(letter);
        return <span key={i} style={{ background }}>{letter}</span>;
      })}
    </span>
  );
}

function Graph({ graph, shares, large }: { graph: NonNullable<ObjectShown["graph"]>; shares: Shares | null; large: boolean }) {
  const { labels, at, edges } = graph;
  const [width, height, edge] = large ? [300, 170, 18] : [120, 46, 8];
  const [xs, ys] = [at.filter((_, i) => i % 2 === 0), at.filter((_, i) => i % 2 === 1)];
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const scale = Math.min(large ? 60 : 22, (width - 2 * edge) / Math.max(x1 - x0, 1e-9), (height - 2 * edge) / Math.max(y1 - y0, 1e-9));
  const [px, py] = [(v: number) => width / 2 + scale * (xs[v] - (x0 + x1) / 2), (v: number) => height / 2 + scale * (ys[v] - (y0 + y1) / 2)];
  const colour = shade(shares, labels.length);
  return (
    <svg class={large ? "chart graph" : "graph small"} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${labels.length}: ${labels.join(" ")}`}>
      {Array.from({ length: edges.length / 2 }, (_, e) => (
        <line key={e} x1={px(edges[2 * e])} y1={py(edges[2 * e])} x2={px(edges[2 * e + 1])} y2={py(edges[2 * e + 1])} />
      ))}
      {labels.map((label, v) => (
        <g key={v}>
          <circle cx={px(v)} cy={py(v)} r={large ? 11 : 5} class="ground" />
          <circle cx={px(v)} cy={py(v)} r={large ? 11 : 5} style={{ fill: colour(v) }} />
          <text x={px(v)} y={py(v) + (large ? 4 : 2.5)} text-anchor="middle">{label.slice(0, 2)}</text>
        </g>
      ))}
    </svg>
  );
}

function Series({ values, dims, dark }: { values: number[]; dims: number; dark: boolean }) {
  const [width, height] = [160, 34];
  const count = values.length / dims;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const path = (d: number) =>
    Array.from({ length: count }, (_, t) => `${t ? "L" : "M"}${(3 + ((width - 6) * t) / Math.max(count - 1, 1)).toFixed(1)} ${(height - 3 - ((height - 6) * (values[t * dims + d] - low)) / (high - low || 1)).toFixed(1)}`).join("");
  return (
    <svg class="series" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={values.slice(0, 30).join(" ")}>
      {Array.from({ length: Math.min(dims, 6) }, (_, d) => (
        <path key={d} d={path(d)} fill="none" stroke={css(palette(dark)[d])} />
      ))}
    </svg>
  );
}

export function ObjectPicture({ of, shares, dark, large = false }: { of: ObjectShown; shares: Shares | null; dark: boolean; large?: boolean }) {
  if (of.graph && of.graph.labels.length > 0 && of.graph.labels.length <= 60) return <Graph graph={of.graph} shares={shares} large={large} />;
  if (of.series && of.series.length > 0) return <Series values={of.series} dims={of.dims ?? 1} dark={dark} />;
  return <Letters text={objectText(of)} shares={shares} />;
}
// On one line, for people.
export function objectText(of: ObjectShown): string {
  if (of.text !== undefined) return of.text;
  if (of.series) return `(${of.series.slice(0, 12).join(" ")}${of.series.length > 12 ? " …" : ""})`;
  return of.graph ? of.graph.labels.join("–") : "";
}
