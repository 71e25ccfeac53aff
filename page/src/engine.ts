// The library as the page sees it: questions go to a worker and come back as promises. A question that takes too long
// ends with a word, and the worker is started anew: nothing on the page ever hangs.
import type { Reply } from "./protocol";

const mostSeconds = 20;

interface Heard {
  id?: number;
  reply?: Reply;
  milliseconds?: number;
  failed?: string;
}

export class Engine {
  private worker: Worker | null = null;
  private waiting = new Map<number, { resolve: (reply: Reply) => void; timer: number }>();
  private next = 1;
  milliseconds = 0; // what the last answer took inside the library
  onRestart: () => void = () => undefined;
  tooLong: () => string = () => `no answer within ${mostSeconds} seconds`;

  constructor(private readonly url: string) {}

  private started(): Worker {
    if (this.worker) return this.worker;
    const worker = new Worker(this.url, { type: "module" });
    worker.onmessage = (event: MessageEvent<Heard>) => this.hear(event.data);
    worker.onerror = (event) => this.stop(event.message || "the worker could not be started");
    return (this.worker = worker);
  }

  private hear(message: Heard): void {
    if (message.failed) return this.stop(message.failed);
    if (message.id === undefined || !message.reply) return;
    const asked = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    this.milliseconds = message.milliseconds ?? 0;
    if (asked) {
      clearTimeout(asked.timer);
      asked.resolve(message.reply);
    }
    if (message.reply.code === "broken") this.stop(message.reply.error ?? "");
  }

  // Ends the worker; every question that waits is answered with `why`.
  stop(why: string): void {
    this.worker?.terminate();
    this.worker = null;
    for (const { resolve, timer } of this.waiting.values()) {
      clearTimeout(timer);
      resolve({ error: why, code: "stopped", arrays: {} });
    }
    this.waiting.clear();
    this.onRestart();
  }

  ask<T extends Reply>(body: object, numbers?: Float64Array, bytes?: Uint8Array): Promise<T> {
    const id = this.next++;
    const worker = this.started();
    return new Promise((resolve) => {
      const timer = window.setTimeout(() => this.stop(this.tooLong()), mostSeconds * 1000);
      this.waiting.set(id, { resolve: resolve as (reply: Reply) => void, timer });
      worker.postMessage({ id, body, numbers, bytes });
    });
  }
}
