// The regions of a fit as pixels, one a place of the grid.
import type { FitReply, Numbers } from "../protocol";
import { ground, mix, palette, type Rgb } from "./colours";

interface Raster {
  f?: Numbers;
  label?: ArrayLike<number>;
}

// How strong a class is where f is so large: all of the margin's width shows, and beyond it little changes.
const strength = (f: number) => 0.1 + 0.34 * (1 - Math.exp(-1.4 * Math.abs(f)));

function paint(from: Raster, signed: boolean, isDark: boolean): (i: number) => Rgb {
  const [colours, base] = [palette(isDark), ground(isDark)];
  const { f, label } = from;
  if (label && f) return (i) => mix(base, colours[label[i] % colours.length], strength(f[i]));
  if (label) return (i) => mix(base, colours[label[i] % colours.length], 0.28);
  if (!f) return () => base;
  let [low, high] = [Infinity, -Infinity];
  for (const value of f) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (signed) {
    const size = Math.max(Math.abs(low), Math.abs(high)) || 1;
    return (i) => mix(base, colours[f[i] < 0 ? 1 : 0], 0.55 * Math.sqrt(Math.abs(f[i]) / size));
  }
  const width = high - low || 1;
  return (i) => mix(base, colours[0], (0.65 * (f[i] - low)) / width);
}

export function rasterOf(fit: FitReply, method: string, isDark: boolean): ImageData | null {
  const { f, label } = fit.arrays;
  return pixels({ f, label }, method !== "kernel_density", isDark);
}
// Of one function, f > 0 for the second class.
export function functionRaster(f: Float32Array, isDark: boolean): ImageData | null {
  return pixels({ f, label: Uint8Array.from(f, (v) => (v > 0 ? 1 : 0)) }, true, isDark);
}
function pixels(from: Raster, signed: boolean, isDark: boolean): ImageData | null {
  const count = from.f?.length ?? from.label?.length ?? 0;
  const nx = Math.round(Math.sqrt(count));
  if (nx < 2 || nx * nx !== count) return null;
  const colour = paint(from, signed, isDark);
  const out = new ImageData(nx, nx);
  for (let row = 0; row < nx; ++row)
    for (let column = 0; column < nx; ++column) {
      const c = colour(row * nx + column);
      const at = 4 * ((nx - 1 - row) * nx + column); // row 0 is the lowest
      out.data[at] = c[0];
      out.data[at + 1] = c[1];
      out.data[at + 2] = c[2];
      out.data[at + 3] = 255;
    }
  return out;
}
