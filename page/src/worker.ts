// The library in a worker: requests in, replies out, one after the other.
import type { Arrays, Reply } from "./protocol";

interface Module {
  HEAPU8: Uint8Array;
  _malloc(bytes: number): number;
  _free(at: number): void;
  _mercer_call(text: number, length: number, numbers: number, count: number, bytes: number, byteCount: number): number;
}
export interface Job {
  id: number;
  body: object;
  numbers?: Float64Array;
  bytes?: Uint8Array;
}

const loaded: Promise<Module> = (async () => {
  const { default: start } = (await import(new URL("./mercer_page.js", self.location.href).href)) as { default: (settings: object) => Promise<Module> };
  return start({ locateFile: (name: string) => new URL(name, self.location.href).href });
})();
loaded.then(
  () => postMessage({ ready: true }),
  (problem) => postMessage({ failed: String(problem) }),
);

const encoder = new TextEncoder();
const decoder = new TextDecoder();

// A copy of bytes in the library's memory, 8-byte aligned; whoever asks frees it.
function put(module: Module, bytes: Uint8Array): number {
  const at = module._malloc(Math.max(bytes.length, 1));
  module.HEAPU8.set(bytes, at);
  return at;
}

type Places = Record<string, [string, number, number]>; // type, first byte and count of each array
function arraysOf(description: Places, heap: ArrayBufferLike, first: number): Arrays {
  const out: Arrays = {};
  for (const [name, [type, from, count]] of Object.entries(description)) {
    const at = first + from;
    if (type === "f64") out[name] = new Float64Array(heap.slice(at, at + 8 * count) as ArrayBuffer);
    else if (type === "f32") out[name] = new Float32Array(heap.slice(at, at + 4 * count) as ArrayBuffer);
    else if (type === "i32") out[name] = new Int32Array(heap.slice(at, at + 4 * count) as ArrayBuffer);
    else out[name] = new Uint8Array(heap.slice(at, at + count) as ArrayBuffer);
  }
  return out;
}

function call(module: Module, job: Job): Reply {
  const text = encoder.encode(JSON.stringify(job.body));
  const numbers = job.numbers ? new Uint8Array(job.numbers.buffer, job.numbers.byteOffset, job.numbers.byteLength) : new Uint8Array();
  const bytes = job.bytes ?? new Uint8Array();
  const at = [put(module, text), put(module, numbers), put(module, bytes)];
  const where = module._mercer_call(at[0], text.length, at[1], numbers.length / 8, at[2], bytes.length);
  at.forEach((each) => module._free(each));
  const heap = module.HEAPU8.buffer;
  const [body, length, arrays] = new Uint32Array(heap, where, 4);
  const said = JSON.parse(decoder.decode(new Uint8Array(heap, body, length).slice())) as Omit<Reply, "arrays"> & { arrays?: Places };
  return { ...said, arrays: arraysOf(said.arrays ?? {}, heap, arrays) };
}

self.onmessage = async (event: MessageEvent<Job>) => {
  const job = event.data;
  let reply: Reply;
  const started = performance.now();
  try {
    reply = call(await loaded, job);
  } catch (problem) {
    // Not an answer of the library: its memory ran out, or it has a fault. A new worker has a new memory.
    reply = { error: String(problem), code: "broken", arrays: {} };
  }
  const milliseconds = performance.now() - started;
  postMessage({ id: job.id, reply, milliseconds }, Object.values(reply.arrays).map((each) => each.buffer as ArrayBuffer));
};
