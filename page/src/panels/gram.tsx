// The Gram matrix of the points, sorted by class, and its eigenvalues.
import { useEffect, useState } from "preact/hooks";
import { Chart } from "../draw/chart";
import { css, palette } from "../draw/colours";
import { Heat } from "../draw/heat";
import { engine, sendPoints } from "../fitting";
import { short } from "../numbers";
import type { Reply } from "../protocol";
import { did, store, useStore } from "../store";
import { filled, languageOf, useTexts } from "../texts";

interface GramReply extends Reply {
  n: number;
  rank: number;
  negative: number;
  effective_rank: number;
}

export function GramPanel() {
  const t = useTexts();
  const document = useStore((s) => s.document);
  const fitOf = useStore((s) => s.fitOf);
  const [hover, partner, dark] = [useStore((s) => s.hover), useStore((s) => s.partner), useStore((s) => s.dark)];
  const [switches, setSwitches] = useState({ centre: false, normalise: false, distances: false });
  const [gram, setGram] = useState<GramReply | null>(null);
  useEffect(() => {
    let wanted = true;
    void (async () => {
      if (document.points.length === 0) return setGram(null);
      await sendPoints(document);
      const reply = await engine.ask<GramReply>({ do: "gram", kernel: document.kernel, ...switches });
      if (!wanted) return;
      setGram(reply);
      if (!reply.error && reply.effective_rank > 0.9 * reply.n) did("gram:identity");
    })();
    return () => {
      wanted = false;
    };
  }, [document.points, document.kernel, fitOf, switches]);
  if (!gram) return <p class="muted">{t.no_points}</p>;
  if (gram.error) return <p class="trouble" lang={languageOf(gram.error, t)}>{gram.error}</p>;
  const entries = gram.arrays.entries;
  const order = Array.from({ length: gram.n }, (_, i) => i).sort((a, b) => (document.points[a]?.c ?? 0) - (document.points[b]?.c ?? 0) || (document.target === "values" ? document.points[a]?.x - document.points[b]?.x : a - b));
  const cell = hover >= 0 && partner >= 0 && hover < gram.n && partner < gram.n ? entries[hover * gram.n + partner] : null;
  const values = gram.arrays.eigenvalues;
  const positive = Float64Array.from(values, (v) => Math.max(v, 0));
  const colours = palette(dark);
  return (
    <div>
      <div class="row">
        {(["centre", "normalise", "distances"] as const).map((name) => (
          <label key={name} class="flag">
            <input id={`gram-${name}`} type="checkbox" checked={switches[name]} onChange={(event) => setSwitches({ ...switches, [name]: event.currentTarget.checked })} /> {t.gram_switches[name]}
          </label>
        ))}
      </div>
      {entries.length === gram.n ** 2 && (
        <Heat entries={entries} n={gram.n} order={order} dark={dark} label={filled(t.gram_label, { n: gram.n })} marked={[hover, partner >= 0 ? partner : hover]} hover={(i, j) => store.set({ hover: i, partner: j })} />
      )}
      <p class="readout" aria-live="off">
        {cell !== null ? `${switches.distances ? "‖φ(x)−φ(z)‖²" : "k"}(${hover + 1}, ${partner + 1}) = ${short(cell)}` : t.gram_hint}
      </p>
      <h3>{t.eigenvalues}</h3>
      <Chart lines={[{ name: "λ", values: positive, colour: css(colours[0]), dots: values.length <= 80 }]} label={t.eigenvalues} logY />
      <p class="muted">{filled(t.ranks, { rank: gram.rank, n: gram.n, effective: short(gram.effective_rank, 3) })}{gram.negative > 0 ? ` ${filled(t.negative_eigenvalues, { n: gram.negative })}` : ""}</p>
    </div>
  );
}
