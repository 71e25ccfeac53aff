// A kernel as a formula: MathML, which browsers typeset themselves.
import type { ComponentChildren, VNode } from "preact";
import type { Form } from "./protocol";
import { short } from "./numbers";

type Node = VNode | VNode[];
const h = (tag: string, children: ComponentChildren, props: Record<string, string> = {}): VNode => {
  const Tag = tag as unknown as preact.FunctionComponent<Record<string, unknown>>;
  return <Tag {...props}>{children}</Tag>;
};
const mi = (name: string) => h("mi", name);
const mn = (value: unknown) => h("mn", short(value, 5));
const mo = (sign: string) => h("mo", sign);
const row = (...parts: Node[]) => h("mrow", parts.flat());
const sup = (base: Node, power: Node) => h("msup", [row(base), row(power)]);
const sub = (base: Node, below: Node) => h("msub", [row(base), row(below)]);
const frac = (above: Node, below: Node) => h("mfrac", [row(above), row(below)]);
const root = (of: Node) => h("msqrt", row(of));
const within = (...parts: Node[]) => row(mo("("), ...parts, mo(")"));

const [x, z] = [h("mi", "x", { mathvariant: "bold" }), h("mi", "z", { mathvariant: "bold" })];
const dot = row(sup(x, mo("⊤")), z);
const squared = row(sup(row(mo("‖"), x, mo("−"), z, mo("‖")), mn(2)));
const total = (of: Node) => row(sub(mo("∑"), mi("a")), of);
const coordinate = (v: Node) => sub(v, mi("a"));

// "1·t" is t; signs stand alone.
const times = (factor: number, of: Node): Node => (factor === 1 ? of : factor === -1 ? row(mo("−"), of) : row(mn(factor), of));

function leaf(form: Form): Node {
  const value = Object.fromEntries(form.arguments);
  const number = (name: string) => Number(value[name]);
  const exp = (of: Node) => sup(mi("e"), of);
  switch (form.what) {
    case "linear":
      return dot;
    case "poly": {
      const inner = [times(number("gamma"), dot), ...(number("coef0") ? [mo("+"), mn(number("coef0"))] : [])];
      return number("degree") === 1 ? row(...inner) : sup(within(...inner), mn(number("degree")));
    }
    case "rbf":
      return exp(row(mo("−"), times(number("gamma"), squared)));
    case "laplacian":
      return exp(row(mo("−"), times(number("gamma"), total(row(mo("|"), coordinate(x), mo("−"), coordinate(z), mo("|"))))));
    case "sigmoid":
      return row(mi("tanh"), within(times(number("gamma"), dot), ...(number("coef0") ? [mo(number("coef0") < 0 ? "−" : "+"), mn(Math.abs(number("coef0")))] : [])));
    case "cosine":
      return frac(dot, row(mo("‖"), x, mo("‖"), mo("‖"), z, mo("‖")));
    case "constant":
      return mn(number("c") || form.arguments[0]?.[1]);
    case "all_subsets":
      return row(sub(mo("∏"), mi("a")), within(mn(1), mo("+"), coordinate(x), coordinate(z)));
    case "intersection":
      return total(row(mi("min"), within(coordinate(x), mo(","), coordinate(z))));
    case "rational_quadratic":
      return sup(within(mn(1), mo("+"), frac(squared, mn(2 * number("alpha") * number("length_scale") ** 2))), row(mo("−"), mn(number("alpha"))));
    case "periodic":
      return exp(row(mo("−"), mn(2 / number("length_scale") ** 2), total(row(sup(mi("sin"), mn(2)), frac(row(mi("π"), within(coordinate(x), mo("−"), coordinate(z))), mn(number("period")))))));
    default: {
      const given = form.arguments.flatMap(([name, v], i) => [...(i ? [mo(",")] : []), mi(name), mo("="), Array.isArray(v) ? h("mtext", JSON.stringify(v)) : mn(v)]);
      return row(h("mtext", form.what.replaceAll("_", " ")), ...(given.length ? [within(...given)] : []));
    }
  }
}

function formula(form: Form): Node {
  const value = Object.fromEntries(form.arguments);
  const inner = (part: Form, tight: boolean): Node => {
    const made = formula(part);
    return tight && (part.what === "sum" || part.what === "polynomial_of") ? within(made) : made;
  };
  const [first] = form.parts;
  switch (form.what) {
    case "sum":
      return row(
        ...form.parts.flatMap((part, i) => {
          const negative = part.what === "scale" && Number(part.arguments[0]?.[1]) < 0;
          return [...(i && !negative ? [mo("+")] : []), formula(part)];
        }),
      );
    case "product":
      return row(...form.parts.flatMap((part, i) => [...(i ? [mo("·")] : []), inner(part, true)]));
    case "scale": {
      const factor = Number(form.arguments[0]?.[1]);
      return factor < 0 ? row(mo("−"), times(-factor, inner(first, true))) : times(factor, inner(first, true));
    }
    case "power":
      return sup(within(formula(first)), mn(form.arguments[0]?.[1]));
    case "exp":
      return row(mi("exp"), within(formula(first)));
    case "normalize": {
      const k = formula(first);
      return frac(k, root(row(mi("k"), within(x, mo(","), x), mo(" "), mi("k"), within(z, mo(","), z))));
    }
    case "polynomial_of": {
      const coefficients = (value.coefficients ?? []) as number[];
      return row(...coefficients.flatMap((c, i) => (c === 0 ? [] : [mo("+"), mn(c), ...(i ? [sup(within(formula(first)), mn(i))] : [])])).slice(1));
    }
    default:
      return form.parts.length ? row(h("mtext", form.what), within(...form.parts.flatMap((p, i) => [...(i ? [mo(",")] : []), formula(p)]))) : leaf(form);
  }
}

export function Formula({ form }: { form: Form }) {
  return (
    <div class="formula" tabIndex={0} role="math" aria-label={form.what}>
      {h("math", row(mi("k"), within(x, mo(","), z), mo("="), formula(form)), { display: "block" })}
    </div>
  );
}
