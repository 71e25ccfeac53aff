// The whole state in the address: #s= and the document as JSON, packed by deflate, in letters that a link may hold. An
// untouched preset is its name alone.
import { isDocument, type Document, type Point } from "./document";
import { exampleNamed } from "./examples";
import { preset } from "./presets";
import type { ObjectsText } from "./store";

export interface Shared {
  document: Document;
  objects?: ObjectsText;
  tab?: string;
  lesson?: number;
}

async function through(stream: CompressionStream | DecompressionStream, bytes: Uint8Array): Promise<Uint8Array> {
  const packed = new Response(new Blob([bytes as BlobPart]).stream().pipeThrough(stream));
  return new Uint8Array(await packed.arrayBuffer());
}
function toLetters(bytes: Uint8Array): string {
  let text = "";
  for (const each of bytes) text += String.fromCharCode(each);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
function fromLetters(text: string): Uint8Array {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
}

type Packed = Omit<Document, "points"> & { points?: number[]; objects?: Partial<ObjectsText>; tab?: string; lesson?: number };

export async function toHash(shared: Shared): Promise<string> {
  const d = shared.document;
  const points = d.preset && preset(d.preset) ? undefined : d.points.flatMap((p) => [p.x, p.y, p.c]);
  const packed: Packed = { ...d, points, objects: shared.objects && changed(shared.objects), tab: shared.tab, lesson: shared.lesson };
  const bytes = new TextEncoder().encode(JSON.stringify(packed));
  return "#s=" + toLetters(await through(new CompressionStream("deflate-raw"), bytes));
}

// Of an untouched example its name is enough, and nothing of the first one.
function changed(objects: ObjectsText): Partial<ObjectsText> | undefined {
  const from = exampleNamed(objects.example);
  const same = (part: "format" | "text" | "kernel") => objects[part] === from?.[part];
  if (objects.example === "strings" && same("text") && same("kernel")) return undefined;
  return { example: objects.example, ...(same("text") ? {} : { format: objects.format, text: objects.text }), ...(same("kernel") ? {} : { kernel: objects.kernel }) };
}
function whole(objects: Partial<ObjectsText>): ObjectsText | undefined {
  const from = exampleNamed(String(objects.example));
  if (!from) return undefined;
  const part = (name: "format" | "text" | "kernel") => (typeof objects[name] === "string" ? objects[name] : from[name]);
  return { example: from.name, format: part("format"), text: part("text"), kernel: part("kernel") };
}

// Null where there is nothing; an error where what is there cannot be read.
export async function fromHash(hash: string): Promise<Shared | null> {
  if (!hash.startsWith("#s=")) return null;
  const bytes = await through(new DecompressionStream("deflate-raw"), fromLetters(hash.slice(3)));
  const packed = JSON.parse(new TextDecoder().decode(bytes)) as Packed;
  const { tab, lesson, objects, points: numbers, ...rest } = packed;
  let points: readonly Point[];
  if (numbers) {
    if (!Array.isArray(numbers) || numbers.length % 3) throw new Error("the points are damaged");
    points = Array.from({ length: numbers.length / 3 }, (_, i) => ({ x: numbers[3 * i], y: numbers[3 * i + 1], c: numbers[3 * i + 2] }));
  } else {
    const known = rest.preset ? preset(rest.preset) : null;
    if (!known) throw new Error("there is no such preset");
    points = known.points;
  }
  const document = { ...rest, points };
  if (!isDocument(document)) throw new Error("it is not a state of this page");
  return { document, objects: objects && whole(objects), tab: typeof tab === "string" ? tab : undefined, lesson: typeof lesson === "number" ? lesson : undefined };
}
