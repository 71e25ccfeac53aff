// One point, or one place: what it is to the fit, and why the fit says what it says there.
import { css, palette } from "../draw/colours";
import { short } from "../numbers";
import type { FitReply, WhyFunction } from "../protocol";
import { useStore } from "../store";
import { counted, filled, useTexts } from "../texts";
import type { Texts } from "../texts/en";

export const kinds = ["zero", "free", "bound"] as const;
export const sides = ["outside", "on", "inside", "misclassified"] as const;

function Example({ which, fit, t }: { which: number; fit: FitReply; t: Texts }) {
  const document = useStore((s) => s.document);
  const p = document.points[which];
  if (!p) return null;
  const rows: [string, string][] = [[t.place, `(${short(p.x)}, ${short(p.y)})`]];
  if (document.target === "classes") rows.push([t.class_word, document.classes[p.c] ?? "?"]);
  const a = fit.arrays;
  if (a.said && fit.classes.length === 0 && document.target === "values") rows.push(["f(x)", short(a.said[which])], [t.residual, short(p.y - a.said[which])]);
  if (a.coef) rows.push([t.coefficient, short(a.coef[which])]);
  if (a.cluster) rows.push([t.cluster, String(a.cluster[which] + 1)]);
  return (
    <div>
      <h3>{filled(t.point_number, { n: which + 1 })}</h3>
      <table class="facts">
        {rows.map(([name, value]) => (
          <tr key={name}>
            <th>{name}</th>
            <td>{value}</td>
          </tr>
        ))}
      </table>
      {fit.problems?.map((problem) => {
        const all = a[problem.name];
        for (let i = 0; i < all.length; i += 8)
          if (all[i] === which) {
            const [, alpha, slack, yf, kind, side] = all.slice(i, i + 6);
            return (
              <table class="facts" key={problem.name}>
                {fit.problems!.length > 1 && (
                  <caption>
                    {problem.positive} / {problem.negative}
                  </caption>
                )}
                <tr>
                  <th>α</th>
                  <td>{short(alpha)}</td>
                  <td>{t.cases[kinds[kind]]}</td>
                </tr>
                <tr>
                  <th>ξ</th>
                  <td>{short(slack)}</td>
                  <td />
                </tr>
                <tr>
                  <th>y·f(x)</th>
                  <td>{short(yf)}</td>
                  <td>{t.sides[sides[side]]}</td>
                </tr>
              </table>
            );
          }
        return null;
      })}
    </div>
  );
}

// f(x) as a sum, the largest terms as bars to either side.
function Terms({ of, t }: { of: WhyFunction; t: Texts }) {
  const [document, dark, language] = [useStore((s) => s.document), useStore((s) => s.dark), useStore((s) => s.language)];
  const shown = of.terms.slice(0, 10);
  const most = Math.max(1e-12, ...shown.map((term) => Math.abs(term.value)));
  return (
    <div class="terms">
      <p>
        {of.positive && (
          <strong>
            {of.positive} / {of.negative}:{" "}
          </strong>
        )}
        f(x) = {short(of.f)} = {counted(t.terms, of.count, language)} {of.offset < 0 ? "−" : "+"} {short(Math.abs(of.offset))}
        {of.enough !== undefined && <span class="muted"> · {filled(t.terms_enough, { n: of.enough })}</span>}
      </p>
      <ul>
        {shown.map((term) => {
          const p = document.points[term.row];
          const width = (50 * Math.abs(term.value)) / most;
          return (
            <li key={term.row}>
              <span class="who">{term.row + 1}</span>
              <span class="bar" aria-hidden="true">
                <span style={{ width: `${width}%`, left: term.value < 0 ? `${50 - width}%` : "50%", background: css(palette(dark)[(p?.c ?? 0) % 6]) }} />
              </span>
              <span class="value">
                {short(term.coef, 3)} · {short(term.kernel, 3)} = {short(term.value, 3)}
              </span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

export function PointPanel() {
  const t = useTexts();
  const [fit, hover, selected] = [useStore((s) => s.fit), useStore((s) => s.hover), useStore((s) => s.selected)];
  const [place, why] = [useStore((s) => s.place), useStore((s) => s.why)];
  const which = hover >= 0 ? hover : selected;
  return (
    <div>
      {fit && which >= 0 ? <Example which={which} fit={fit} t={t} /> : <p class="muted">{t.point_hint}</p>}
      {place && why && (
        <div id="why">
          <h3>
            {t.why} ({short(place[0], 3)}, {short(place[1], 3)})
          </h3>
          {why.said !== undefined && (
            <p>
              {t.says}: <strong>{typeof why.value === "number" && !Number.isInteger(why.value) ? short(why.value) : why.said}</strong>
            </p>
          )}
          {why.neighbours && (
            <p>
              {t.neighbours}: {why.neighbours.map((n) => `${n.row + 1} (${short(n.distance, 3)})`).join(", ")}
            </p>
          )}
          {why.functions?.map((each, i) => <Terms key={i} of={each} t={t} />)}
        </div>
      )}
      <Certificate t={t} />
    </div>
  );
}

// What was proven of the fit: both objectives, the gap, every condition of Karush, Kuhn and Tucker.
function Certificate({ t }: { t: Texts }) {
  const fit = useStore((s) => s.fit);
  if (!fit?.problems?.length) return null;
  return (
    <details open={fit.problems.length === 1}>
      <summary>{t.certificate}</summary>
      {fit.problems.slice(0, 15).map((p) => (
        <div key={p.name}>
          {fit.problems!.length > 1 && (
            <h4>
              {p.positive} / {p.negative}
            </h4>
          )}
          <table class="facts">
            <tr>
              <th>{t.primal}</th>
              <td>{short(p.primal, 6)}</td>
            </tr>
            <tr>
              <th>{t.dual}</th>
              <td>{short(p.dual, 6)}</td>
            </tr>
            <tr>
              <th>{t.gap}</th>
              <td>{short(p.gap)}</td>
            </tr>
            <tr>
              <th>{t.margin}</th>
              <td>{short(p.margin)}</td>
            </tr>
            {p.kkt.map((k) => (
              <tr key={k.condition}>
                <th title={k.condition} lang="en">{k.formula}</th>
                <td>
                  {k.holds ? "✓" : "✗"} {short(k.size, 2)}
                </td>
              </tr>
            ))}
          </table>
        </div>
      ))}
    </details>
  );
}
