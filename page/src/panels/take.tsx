// Take it away: a link, code that does the same, pictures, the model, the data.
import { useState } from "preact/hooks";
import { commandOf, cppOf, csvOf, download, modelBytes, pngBlob, pythonOf, svgText } from "../export";
import { did, store, tell, useStore } from "../store";
import { languageOf, useTexts } from "../texts";
import { toHash } from "../url";

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // a browser that does not allow it; the text is there to be selected
  }
}

export function TakePanel() {
  const t = useTexts();
  const document = useStore((s) => s.document);
  const [form, setForm] = useState<"command" | "python" | "cpp">("command");
  const [copied, setCopied] = useState("");
  const text = form === "command" ? commandOf(document) : form === "python" ? pythonOf(document) : cppOf(document);
  const say = (what: string) => async (value: string | Promise<string>) => {
    if (await copy(await value)) setCopied(what);
    did("copy");
  };
  return (
    <div>
      <div class="row">
        <button class="button primary" id="copy-link" onClick={() => void say("link")(toHash({ document, objects: store.state.objects, tab: store.state.tab }).then((hash) => location.origin + location.pathname + hash))}>
          {copied === "link" ? t.copied : t.copy_link}
        </button>
      </div>
      <h3>{t.same_in}</h3>
      <div class="segments" role="group" aria-label={t.same_in}>
        {(["command", "python", "cpp"] as const).map((each) => (
          <button key={each} id={`as-${each}`} aria-pressed={form === each} class={form === each ? "on" : ""} onClick={() => setForm(each)}>
            {each === "command" ? "mercer" : each === "python" ? "Python" : "C++"}
          </button>
        ))}
      </div>
      <pre class="code-block" id="code" tabIndex={0} role="region" aria-label={t.same_in}>
        {text}
      </pre>
      <button class="button" id="copy-code" onClick={() => void say("code")(text)}>
        {copied === "code" ? t.copied : t.copy}
      </button>
      <h3>{t.files}</h3>
      <div class="row">
        <button class="button" id="save-csv" onClick={() => download("points.csv", csvOf(document), "text/csv")}>
          points.csv
        </button>
        <button
          class="button"
          id="save-model"
          onClick={() =>
            void modelBytes().then((made) => {
              if (typeof made === "string") tell(made, languageOf(made, t));
              else download("points.model", made as BlobPart, "application/octet-stream");
            })
          }
        >
          points.model
        </button>
        <button class="button" id="save-svg" onClick={() => download("plane.svg", svgText(), "image/svg+xml")}>
          plane.svg
        </button>
        <button class="button" id="save-png" onClick={() => void pngBlob().then((picture) => download("plane.png", picture, "image/png"))}>
          plane.png
        </button>
      </div>
      <p class="muted">{t.files_note}</p>
    </div>
  );
}
