// The beginning: what the address says, what the library can do, then the page follows.
import { render } from "preact";
import { openDocument } from "./actions";
import { App, setDark, setLanguage } from "./app";
import { engine, startFollowing } from "./fitting";
import { openLesson, watchLessons } from "./panels/lessons";
import type { About } from "./protocol";
import { store, tabs, tell, type Tab } from "./store";
import { chosenLanguage, safely, texts } from "./texts";
import { fromHash, toHash } from "./url";

async function readAddress(): Promise<void> {
  try {
    const shared = await fromHash(location.hash);
    if (!shared) return;
    openDocument(shared.document);
    if (shared.objects) store.set({ objects: shared.objects });
    if (shared.tab && tabs.includes(shared.tab as Tab)) store.set({ tab: shared.tab as Tab });
  } catch (problem) {
    tell(`${texts().broken_link} ${problem instanceof Error ? problem.message : ""}`);
  }
}

// The address follows the page, a little later, without a history of its own.
function writeAddress(): void {
  let timer = 0;
  let [written, typed] = [store.state.document, store.state.objects];
  store.subscribe(() => {
    const { document, objects, tab } = store.state;
    if (document === written && objects === typed) return;
    [written, typed] = [document, objects];
    clearTimeout(timer);
    const write = async () => {
      const hash = await toHash({ document, objects, tab });
      ours = hash;
      history.replaceState(null, "", hash.length < 60000 ? hash : location.pathname);
    };
    timer = window.setTimeout(() => void write(), 250);
  });
}
let ours = "";

async function begin(): Promise<void> {
  setLanguage(chosenLanguage());
  setDark((safely(() => localStorage.getItem("mercer-theme")) ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark");
  const done = safely(() => JSON.parse(localStorage.getItem("mercer-lessons") ?? "[]") as unknown);
  store.set({ done: Array.isArray(done) ? done.map(Boolean) : [] });
  render(<App />, document.getElementById("root")!);
  const about = engine.ask({ do: "about" });
  await readAddress();
  writeAddress();
  watchLessons();
  addEventListener("hashchange", () => {
    if (location.hash !== ours) void readAddress();
  });
  const reply = await about;
  if (reply.error) return store.set({ problem: reply.error });
  store.set({ about: reply as unknown as About });
  startFollowing();
  const lesson = /[?&]lesson=(\d+)/.exec(location.search)?.[1];
  if (lesson) openLesson(Number(lesson) - 1);
}
// For tests and the curious: the state, to look at.
Object.assign(globalThis, { mercer: { store, engine } });
void begin();
