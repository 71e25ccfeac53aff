// Colours of classes, told apart by people who see colours differently, on light and on dark ground.
export type Rgb = readonly [number, number, number];

const light: Rgb[] = [
  [37, 99, 205],
  [216, 91, 10],
  [23, 135, 84],
  [132, 66, 190],
  [194, 37, 92],
  [12, 116, 137],
];
const dark: Rgb[] = [
  [106, 162, 255],
  [255, 155, 82],
  [83, 205, 141],
  [190, 142, 255],
  [255, 121, 162],
  [77, 201, 222],
];
export const palette = (isDark: boolean): Rgb[] => (isDark ? dark : light);
export const ground = (isDark: boolean): Rgb => (isDark ? [20, 23, 31] : [255, 255, 255]);
export const css = (c: Rgb): string => `rgb(${Math.round(c[0])} ${Math.round(c[1])} ${Math.round(c[2])})`;
export const mix = (a: Rgb, b: Rgb, share: number): Rgb => [
  a[0] + (b[0] - a[0]) * share,
  a[1] + (b[1] - a[1]) * share,
  a[2] + (b[2] - a[2]) * share,
];
// Of a number between -1 and 1: from the second colour over the ground to the first.
export function diverging(t: number, isDark: boolean): Rgb {
  const colours = palette(isDark);
  return mix(ground(isDark), t < 0 ? colours[1] : colours[0], Math.min(1, Math.abs(t)));
}
