// What the library says about the objects of the panel, in a session of its own beside the plane's.
import { engine } from "./fitting";
import type { ExplainedReply, FitReply, ObjectsReply, WhyReply } from "./protocol";
import { did, type ObjectsText } from "./store";

const session = "objects";

export interface Answer {
  read: ObjectsReply;
  kernel: string;
  entries: ArrayLike<number>; // of the Gram matrix
  scores: ArrayLike<number>; // two components of each; empty where there are none
  fit: FitReply | null;
  trouble: string; // why there is no fit
}
export const isAnswer = (from: Answer | string): from is Answer => typeof from !== "string";

// Read, compared, drawn and fitted; a word where they cannot be.
export async function computeObjects(objects: ObjectsText): Promise<Answer | string> {
  const { format, text, kernel } = objects;
  const read = await engine.ask<ObjectsReply>({ do: "objects", session, format, text });
  if (read.error) return read.error;
  const gram = await engine.ask({ do: "gram", session, kernel });
  if (gram.error) return gram.error;
  const components = await engine.ask({ do: "components", session, kernel });
  const found = { read, kernel, entries: gram.arrays.entries, scores: components.error || components.components !== 2 ? [] : components.arrays.scores };
  const method = read.classes.length > 0 ? "svc" : "svr";
  const fit = read.arrays.y.length > 0 ? await engine.ask<FitReply>({ do: "fit", session, view: "none", seconds: 8, spec: { method, kernel, C: "10" } }) : null;
  did(`objects:${objects.example}`);
  return { ...found, fit: fit?.error ? null : fit, trouble: fit?.error ?? "" };
}

export interface Explanation {
  row: number;
  features: ExplainedReply | null; // none: the kernel has none
  terms: WhyReply | null; // in their place: the objects that weigh most
}
// What decided about one of them: its features, or where the kernel has none the other objects.
export async function explainObject(row: number): Promise<Explanation | string> {
  const features = await engine.ask<ExplainedReply>({ do: "explain", session, row, top: 10 });
  if (features.error && features.code !== "unsupported") return features.error;
  const terms = features.error ? await engine.ask<WhyReply>({ do: "why", session, row }) : null;
  if (terms?.error) return terms.error;
  did("explain");
  return { row, features: features.error ? null : features, terms };
}
