// The page: head, lesson, the set-up on the left, the plane, and on the right what is known about it.
import { useEffect, useState } from "preact/hooks";
import { redo, undo } from "./actions";
import { Plane } from "./draw/plane";
import { openFile } from "./files";
import { engine } from "./fitting";
import { lessons } from "./lessons";
import { short } from "./numbers";
import { GramPanel } from "./panels/gram";
import { KernelField, KernelPanel } from "./panels/kernel";
import { Lessons, openLesson } from "./panels/lessons";
import { ObjectsPanel } from "./panels/objects";
import { PointPanel } from "./panels/point";
import { DataPanel, MethodPanel } from "./panels/setup";
import { SolverPanel } from "./panels/solver";
import { TakePanel } from "./panels/take";
import { TuningPanel } from "./panels/tuning";
import { did, store, tabs, useStore, type Language, type Tab } from "./store";
import { counted, languageOf, languages, safely, useTexts } from "./texts";

function Head() {
  const t = useTexts();
  const [language, dark, past, future, done] = [useStore((s) => s.language), useStore((s) => s.dark), useStore((s) => s.past.length), useStore((s) => s.future.length), useStore((s) => s.done)];
  const finished = done.filter(Boolean).length;
  return (
    <header>
      <h1>
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <path d="M4 26C10 26 11 8 16 8S22 26 28 26" fill="none" stroke="currentColor" stroke-width="3" stroke-linecap="round" />
          <circle cx="16" cy="8" r="3.4" class="spot" />
        </svg>
        Mercer
      </h1>
      <p class="tagline">{t.tagline}</p>
      <div class="tools">
        <button class="button" id="lessons" onClick={() => openLesson(Math.max(0, done.findIndex((d) => !d)))}>
          {t.lessons_button} {finished > 0 && <span class="muted">{finished}/{lessons.length}</span>}
        </button>
        <button class="button quiet" id="undo" aria-label={t.undo} title={`${t.undo} (Ctrl+Z)`} disabled={past === 0} onClick={undo}>
          ↶
        </button>
        <button class="button quiet" id="redo" aria-label={t.redo} title={`${t.redo} (Ctrl+Shift+Z)`} disabled={future === 0} onClick={redo}>
          ↷
        </button>
        <button class="button quiet" id="theme" aria-label={dark ? t.light : t.dark} title={dark ? t.light : t.dark} onClick={() => setDark(!dark)}>
          {dark ? "☀" : "☾"}
        </button>
        <select id="language" aria-label={t.language} value={language} onChange={(event) => setLanguage(event.currentTarget.value as Language)}>
          {Object.entries(languages).map(([code, { name }]) => (
            <option key={code} value={code} lang={code}>
              {name}
            </option>
          ))}
        </select>
      </div>
    </header>
  );
}
export function setDark(dark: boolean): void {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  safely(() => localStorage.setItem("mercer-theme", dark ? "dark" : "light"));
  store.set({ dark });
}
export function setLanguage(language: Language): void {
  document.documentElement.lang = language;
  safely(() => localStorage.setItem("mercer-language", language));
  store.set({ language });
}

// How the fit ended, in one line; what went wrong, in another.
function Status() {
  const t = useTexts();
  const [fit, problem, notice, fitting, ms] = [useStore((s) => s.fit), useStore((s) => s.problem), useStore((s) => s.notice), useStore((s) => s.fitting), useStore((s) => s.milliseconds)];
  const noticeLang = useStore((s) => s.noticeLang);
  const [count, language] = [useStore((s) => s.document.points.length), useStore((s) => s.language)];
  const facts: string[] = [];
  if (fit) {
    const f = fit.figures;
    if (fit.score?.accuracy !== undefined) facts.push(`${t.accuracy} ${short(100 * fit.score.accuracy, 3)} %`);
    if (fit.score?.r2 !== undefined) facts.push(`R² ${short(fit.score.r2, 3)}`);
    if (f.support_vectors !== undefined) facts.push(counted(t.support_vectors, Number(f.support_vectors), language));
    if (typeof f.gap === "number") facts.push(`${t.gap} ${short(f.gap, 2)}`);
    if (typeof f.status === "string") facts.push(t.statuses[f.status] ?? f.status);
    if (fit.loo_bound !== undefined) facts.push(`${t.loo_bound} ${short(fit.loo_bound, 2)}`);
  }
  return (
    <div class="status" id="status" data-fitting={fitting}>
      <p>
        <span>{counted(t.points, count, language)}</span>
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
        <span class="muted" id="time">{Math.round(ms)} ms</span>
        {fitting && <Cancel />}
      </p>
      <p class="trouble" role="status" id="problem" lang={languageOf(problem, t)}>
        {problem !== "" ? problem : fit?.trouble}
      </p>
      <p class="notice" role="status" id="notice" lang={noticeLang}>
        {notice}
      </p>
    </div>
  );
}

// Ends a fit that takes longer than a moment.
function Cancel() {
  const t = useTexts();
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 600);
    return () => clearTimeout(timer);
  }, []);
  if (!late) return null;
  return (
    <button class="button" id="cancel" onClick={() => engine.stop(t.cancelled)}>
      {t.cancel}
    </button>
  );
}

const panels: Record<Tab, () => preact.JSX.Element | null> = { point: PointPanel, kernel: KernelPanel, gram: GramPanel, solver: SolverPanel, tuning: TuningPanel, objects: ObjectsPanel, take: TakePanel };

function Insight() {
  const t = useTexts();
  const tab = useStore((s) => s.tab);
  const choose = (next: Tab) => {
    store.set({ tab: next });
    did(`tab:${next}`);
  };
  const Panel = panels[tab];
  const keys = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    choose(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <section class="insight" aria-label={t.insight}>
      <div class="tabs" role="tablist" aria-label={t.insight} onKeyDown={keys}>
        {tabs.map((each) => (
          <button key={each} id={`tab-${each}`} role="tab" aria-selected={tab === each} aria-controls="panel" tabIndex={tab === each ? 0 : -1} onClick={() => choose(each)}>
            {t.tabs[each]}
          </button>
        ))}
      </div>
      <div id="panel" role="tabpanel" aria-labelledby={`tab-${tab}`} tabIndex={0}>
        <Panel />
      </div>
    </section>
  );
}

export function App() {
  const t = useTexts();
  const takesKernel = useStore((s) => s.about?.methods.find((m) => m.name === s.document.method)?.takes_kernel !== false);
  const ready = useStore((s) => s.about !== null);
  useEffect(() => {
    const keys = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
      if (typing || event.defaultPrevented || event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      (event.shiftKey ? redo : undo)();
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  }, []);
  return (
    <div
      class="page"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        const file = event.dataTransfer?.files[0];
        if (file) void openFile(file);
      }}
    >
      <a class="skip" href="#plane">
        {t.skip}
      </a>
      <Head />
      <Lessons />
      <main aria-busy={!ready}>
        <div class="setup">
          <DataPanel />
          <MethodPanel />
          {takesKernel && (
            <section aria-labelledby="kernel-title">
              <h2 id="kernel-title">{t.kernel}</h2>
              <KernelField id="kernel" />
            </section>
          )}
        </div>
        <div class="centre">
          <Plane />
          <Status />
        </div>
        <Insight />
      </main>
      <footer>
        <p>
          {t.footer} {t.in_english}
        </p>
      </footer>
    </div>
  );
}
