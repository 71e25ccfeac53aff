// Numbers for people.
export function short(value: unknown, digits = 4): string {
  if (typeof value !== "number") return String(value);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "–" : value > 0 ? "∞" : "−∞";
  if (value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e6)) return value.toExponential(2).replace("-", "−");
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}
