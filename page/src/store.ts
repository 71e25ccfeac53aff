// One place for everything the page knows. Parts of the page read it with useStore and change it through actions.
import { useEffect, useReducer, useRef } from "preact/hooks";
import type { Document } from "./document";
import { openingOf } from "./examples";
import { preset } from "./presets";
import type { About, Arrays, FitReply, KernelReply, TestReply, WhyReply } from "./protocol";

export type Tab = "point" | "kernel" | "gram" | "solver" | "tuning" | "objects" | "take";
export const tabs: Tab[] = ["point", "kernel", "gram", "solver", "tuning", "objects", "take"];
export type Language = "en" | "es" | "ru";
export type Tool = "draw" | "erase" | "ask";

// A function on the plane that stands in the place of the fit: a step of a solver.
export interface Shown {
  f: Float32Array;
  border: Float32Array;
  margins: Float32Array;
  coef: Float32Array;
  moved: number[];
  nx: number;
}
export interface State {
  document: Document;
  past: readonly Document[];
  future: readonly Document[];
  about: About | null;
  kernel: KernelReply | null; // what the kernel's text says
  fit: FitReply | null; // the last answer that was one
  fitOf: Document | null; // what it is the answer to
  answered: Document | null; // whose answer is there, a fit or a problem
  fitting: boolean;
  milliseconds: number; // of the last fit and its picture
  problem: string; // why the last fit is not one
  notice: string; // a word to the reader
  noticeLang: "en" | undefined; // where it is one of the library
  tool: Tool;
  brush: number;
  hover: number; // a point, or -1
  partner: number; // a second one, of a cell of the matrix
  selected: number; // the point that was clicked, or -1
  place: [number, number] | null; // where *why* was asked
  why: WhyReply | null;
  test: TestReply | null;
  shown: Shown | null;
  tab: Tab;
  lesson: number; // -1: none is open
  done: readonly boolean[]; // lessons
  language: Language;
  dark: boolean;
  file: FileData | null;
  objects: ObjectsText;
  events: Record<string, number>; // what the reader has done, for lessons
}
// What the panel of objects begins with: a text of a format of the library's, and a kernel.
export interface ObjectsText {
  example: string; // the name of the ready-made one whose kind this is
  format: string;
  text: string;
  kernel: string;
}
export interface FileData {
  name: string;
  n: number;
  columns: string[];
  features: string[];
  classes: string[];
  label: string;
  x: Float64Array;
  y: Float64Array;
  chosen: [number, number];
  arrays?: Arrays;
  bytes: Uint8Array;
}

export function start(name: string): Document {
  const from = preset(name)!;
  const values = from.target === "values";
  return {
    preset: name,
    target: from.target,
    points: from.points,
    classes: from.classes,
    axes: values ? ["x", "y"] : ["x₁", "x₂"],
    view: from.view,
    method: values ? "svr" : "svc",
    kernel: "rbf(gamma=1)",
    options: {},
    component: 0,
  };
}

class Store {
  state: State = {
    document: start("moons"),
    past: [],
    future: [],
    about: null,
    kernel: null,
    fit: null,
    fitOf: null,
    answered: null,
    fitting: false,
    milliseconds: 0,
    problem: "",
    notice: "",
    noticeLang: undefined,
    objects: { example: "strings", ...openingOf("strings") },
    tool: "draw",
    brush: 0,
    hover: -1,
    partner: -1,
    selected: -1,
    place: null,
    why: null,
    test: null,
    shown: null,
    tab: "point",
    lesson: -1,
    done: [],
    language: "en",
    dark: false,
    file: null,
    events: {},
  };
  private readonly listeners = new Set<() => void>();

  set(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    for (const each of [...this.listeners]) each();
  }
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}
export const store = new Store();

// What a part of the page needs of the state; it is drawn again when that has changed.
export function useStore<T>(select: (state: State) => T): T {
  const [, again] = useReducer((n: number) => n + 1, 0);
  const latest = useRef(select);
  latest.current = select;
  const value = select(store.state);
  const seen = useRef(value);
  seen.current = value;
  useEffect(() => {
    const look = () => {
      if (!Object.is(latest.current(store.state), seen.current)) again(0);
    };
    look(); // it may have changed between the first drawing and now
    return store.subscribe(look);
  }, []);
  return value;
}

// A word to the reader: in the language of the page, or of the library.
export function tell(notice: string, noticeLang?: "en"): void {
  store.set({ notice, noticeLang });
}
// Something the reader did, by name: lessons look at it.
export function did(event: string): void {
  const events = store.state.events;
  store.set({ events: { ...events, [event]: (events[event] ?? 0) + 1 } });
}
