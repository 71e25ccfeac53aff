// The lessons, one at a time: what to see, what to try, and a tick when it was done.
import { useEffect } from "preact/hooks";
import { openDocument } from "../actions";
import { documentOf, lessons } from "../lessons";
import { store, useStore } from "../store";
import { safely, useTexts } from "../texts";

export function openLesson(which: number): void {
  if (which < 0 || which >= lessons.length) return store.set({ lesson: -1 });
  store.set({ lesson: which, tab: lessons[which].tab, events: {}, shown: null, test: null });
  openDocument(documentOf(lessons[which]));
}

// A lesson is done when what it asks for was done while it was open.
export function watchLessons(): void {
  store.subscribe(() => {
    const s = store.state;
    if (s.lesson < 0 || s.done[s.lesson] || !lessons[s.lesson].done(s)) return;
    const done = lessons.map((_, i) => s.done[i] || i === s.lesson);
    safely(() => localStorage.setItem("mercer-lessons", JSON.stringify(done)));
    store.set({ done });
  });
}

export function Lessons() {
  const t = useTexts();
  const [which, done] = [useStore((s) => s.lesson), useStore((s) => s.done)];
  useEffect(() => {
    if (which >= 0) document.getElementById("lesson")?.focus();
  }, [which >= 0]);
  if (which < 0) return null;
  const words = t.lessons[lessons[which].id];
  return (
    <aside class="lesson" id="lesson" tabIndex={-1} aria-labelledby="lesson-title">
      <div class="lesson-text">
        <h2 id="lesson-title">
          {which + 1}. {words.title}
        </h2>
        <p>{words.text}</p>
      </div>
      <div class="lesson-side">
        <p class={done[which] ? "task done" : "task"} role="status">
          <span aria-hidden="true">{done[which] ? "✓" : "→"}</span> {words.task} {done[which] && <strong>{t.well_done}</strong>}
        </p>
        <div class="row">
          <button class="button" disabled={which === 0} onClick={() => openLesson(which - 1)}>
            ← {t.previous}
          </button>
          <select aria-label={t.lesson_list} value={which} onChange={(event) => openLesson(Number(event.currentTarget.value))}>
            {lessons.map((each, i) => (
              <option key={each.id} value={i}>
                {i + 1}. {t.lessons[each.id].title} {done[i] ? "✓" : ""}
              </option>
            ))}
          </select>
          <button class="button primary" id="next-lesson" disabled={which === lessons.length - 1} onClick={() => openLesson(which + 1)}>
            {t.next} →
          </button>
          <button class="button quiet" id="close-lesson" aria-label={t.close} title={t.close} onClick={() => openLesson(-1)}>
            ✕
          </button>
        </div>
      </div>
    </aside>
  );
}
