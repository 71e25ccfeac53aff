// A number as a slider and a field: its scale is logarithmic where it is positive and of any size.
import { useId } from "preact/hooks";
import { beginGesture, endGesture } from "../actions";

export interface SliderRange {
  low: number;
  high: number;
  logarithmic: boolean;
  whole: boolean;
  infinite?: boolean; // the last place of the slider means ∞
}
const steps = 240;

export function Slider(props: { label: string; title?: string; lang?: string; value: string; range: SliderRange; change(value: string): void }) {
  const id = useId();
  const { range, value } = props;
  const number = value === "inf" ? Infinity : Number(value);
  const position = () => {
    if (number === Infinity) return steps;
    if (!Number.isFinite(number)) return 0;
    const share = range.logarithmic ? Math.log(number / range.low) / Math.log(range.high / range.low) : (number - range.low) / (range.high - range.low);
    return Math.round(Math.min(1, Math.max(0, share)) * (steps - (range.infinite ? 1 : 0)));
  };
  const at = (place: number): string => {
    if (range.infinite && place >= steps) return "inf";
    const share = place / (steps - (range.infinite ? 1 : 0));
    const v = range.logarithmic ? range.low * (range.high / range.low) ** share : range.low + (range.high - range.low) * share;
    return range.whole ? String(Math.round(v)) : String(Number(v.toPrecision(3)));
  };
  return (
    <div class="slider" title={props.title} lang={props.lang}>
      <label for={id}>{props.label}</label>
      <input
        type="range"
        aria-label={props.label}
        min={0}
        max={steps}
        value={position()}
        onPointerDown={beginGesture}
        onPointerUp={endGesture}
        onInput={(event) => props.change(at(Number(event.currentTarget.value)))}
      />
      <input
        id={id}
        class="number"
        inputMode="decimal"
        value={value === "inf" ? "∞" : value}
        onChange={(event) => {
          const text = event.currentTarget.value.trim().replace("∞", "inf").replace(",", ".");
          if (text === "inf" || Number.isFinite(Number(text))) props.change(text);
        }}
      />
    </div>
  );
}
