// Which columns of an opened file are drawn.
import { openBytes, showComponents, drawColumns } from "../files";
import { useStore } from "../store";
import { useTexts } from "../texts";

export function Columns() {
  const t = useTexts();
  const file = useStore((s) => s.file);
  if (!file) return null;
  const choose = (which: 0 | 1) => (event: { currentTarget: HTMLSelectElement }) => {
    const chosen: [number, number] = [...file.chosen];
    chosen[which] = Number(event.currentTarget.value);
    drawColumns({ ...file, chosen });
  };
  const options = file.features.map((name, i) => (
    <option key={i} value={i}>
      {name}
    </option>
  ));
  return (
    <fieldset class="columns">
      <legend>{file.name}</legend>
      <label>
        x₁ <select id="column-x" value={file.chosen[0]} onChange={choose(0)}>{options}</select>
      </label>
      <label>
        x₂ <select id="column-y" value={file.chosen[1]} onChange={choose(1)}>{options}</select>
      </label>
      {file.columns.length > 0 && (
        <label>
          {t.label_column}{" "}
          <select id="column-label" value={file.label} onChange={(event) => void openBytes(file.name, file.bytes, event.currentTarget.value || undefined)}>
            {file.columns.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      {file.features.length > 2 && (
        <button class="button" onClick={() => void showComponents()}>
          {t.two_components}
        </button>
      )}
    </fieldset>
  );
}
