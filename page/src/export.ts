// The page taken away: as a command, Python, C++, a picture, a model, a table.
import type { Document } from "./document";
import { css, ground } from "./draw/colours";
import { engine, askFit, places } from "./fitting";
import { store } from "./store";

export function csvOf(d: Document): string {
  const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const values = d.target === "values";
  const head = values ? "x,y" : "x1,x2,class";
  return [head, ...d.points.map((p) => (values ? `${p.x},${p.y}` : `${p.x},${p.y},${quoted(d.classes[p.c] ?? String(p.c))}`))].join("\n") + "\n";
}

const targetsOf = (d: Document) => store.state.about?.methods.find((m) => m.name === d.method)?.targets ?? "classes";
const takesKernel = (d: Document) => store.state.about?.methods.find((m) => m.name === d.method)?.takes_kernel !== false;

export function commandOf(d: Document): string {
  const label = d.target === "values" ? "y" : "class";
  const settings = Object.entries(d.options).map(([name, value]) => `${name}=${value}`);
  return [
    `mercer fit ${d.method} points.csv --target ${label}`,
    takesKernel(d) ? `--kernel '${d.kernel}'` : "",
    settings.length ? `--set ${settings.join(" ")}` : "",
    "-o points.model",
  ]
    .filter(Boolean)
    .join(" \\\n    ");
}

// The classes of the Python package; methods without one are fitted by the program.
const pythonNames: Record<string, string> = {
  svc: "SVC", nu_svc: "NuSVC", linear_svc: "LinearSVC", pegasos: "Pegasos", kernel_logistic: "KernelLogisticRegression",
  knn: "KernelKNeighborsClassifier", nearest_centroid: "NearestCentroid", nearest_medoid: "NearestMedoid", svr: "SVR", nu_svr: "NuSVR",
  kernel_ridge: "KernelRidge", knn_regression: "KernelKNeighborsRegressor", one_class: "OneClassSVM", kernel_kmeans: "KernelKMeans",
  kernel_kmedoids: "KernelKMedoids", kernel_pca: "KernelPCA", nystroem_svc: "NystroemSVC", nystroem_logistic: "NystroemLogistic",
  nystroem_ridge: "NystroemRidge", nystroem_kmeans: "NystroemKMeans", nystroem_spectral: "NystroemSpectralClustering",
};
const literal = (value: string) => (value === "inf" ? 'float("inf")' : value === "true" ? "True" : value === "false" ? "False" : Number.isFinite(Number(value)) && value !== "" ? value : JSON.stringify(value));

export function pythonOf(d: Document): string {
  const values = d.target === "values";
  const learns = values || targetsOf(d) === "classes";
  const name = pythonNames[d.method];
  if (!name) return `# ${d.method} has no class in Python: fit it by the program\nimport subprocess\n\nsubprocess.run(${JSON.stringify(commandOf(d).replaceAll(" \\\n    ", " "))}, shell=True, check=True)\n`;
  const given = [...(takesKernel(d) ? [`kernel=${JSON.stringify(d.kernel)}`] : []), ...Object.entries(d.options).map(([key, value]) => `${key}=${literal(value)}`)];
  return [
    "import mercer",
    "import pandas",
    "",
    'data = pandas.read_csv("points.csv")',
    values ? 'X, y = data[["x"]].to_numpy(), data["y"]' : 'X, y = data[["x1", "x2"]].to_numpy(), data["class"]',
    `model = mercer.${name}(${given.join(", ")}).fit(X${learns ? ", y" : ""})`,
    learns ? "print(model.score(X, y))" : "print(model)",
    "",
  ].join("\n");
}

export function cppOf(d: Document): string {
  const options = Object.entries(d.options).map(([key, value]) => `.${key} = ${value === "inf" ? "std::numeric_limits<double>::infinity()" : Number.isFinite(Number(value)) && value !== "" ? value : value === "true" || value === "false" ? value : JSON.stringify(value)}`);
  const fields = [...(takesKernel(d) ? [`.kernel = kernel::parse(${JSON.stringify(d.kernel)})`] : []), ...options];
  return [
    "#include <iostream>",
    "#include <limits>",
    "#include <mercer/mercer.h>",
    "",
    "int main() {",
    "    using namespace mercer;",
    `    const table data = read("points.csv", {.label = "${d.target === "values" ? "y" : "class"}"});`,
    `    const model m = fit(${d.method}{${fields.join(", ")}}, data);`,
    "    std::cout << m.describe().text();",
    '    save(m, "points.model");',
    "}",
    "",
  ].join("\n");
}

export function download(name: string, content: BlobPart, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// The model of what is on the page, as the program reads it.
export async function modelBytes(): Promise<Uint8Array | string> {
  const fit = await askFit(store.state.document, places);
  if (fit.error) return fit.error;
  const reply = await engine.ask({ do: "model" });
  return reply.error ?? (reply.arrays.model as Uint8Array);
}

// The plane as one SVG: its raster inside as PNG, the styles of the page written out.
export function svgText(): string {
  const plane = document.querySelector<SVGSVGElement>("#plane")!;
  const raster = document.querySelector<HTMLCanvasElement>(".plane canvas")!;
  const copy = plane.cloneNode(true) as SVGSVGElement;
  const properties = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-family", "font-style", "stroke-linejoin", "stroke-linecap"];
  const [from, to] = [plane.querySelectorAll("*"), copy.querySelectorAll("*")];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of properties) {
      const value = style.getPropertyValue(name);
      if (value && value !== "none" && value !== "normal") to[i].setAttribute(name, value);
      else if (value === "none" && name === "fill") to[i].setAttribute(name, "none");
    }
    to[i].removeAttribute("class");
  });
  for (const name of ["class", "role", "tabindex", "aria-label", "aria-describedby", "aria-roledescription", "id"]) copy.removeAttribute(name);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", "640");
  copy.setAttribute("height", "640");
  const [paper, image] = ["rect", "image"].map((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));
  for (const each of [paper, image]) {
    each.setAttribute("width", "640");
    each.setAttribute("height", "640");
  }
  paper.setAttribute("fill", css(ground(store.state.dark)));
  image.setAttribute("href", raster.toDataURL());
  copy.prepend(paper, image);
  return new XMLSerializer().serializeToString(copy);
}
export async function pngBlob(): Promise<Blob> {
  const picture = new Image();
  picture.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svgText());
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1280;
  canvas.getContext("2d")!.drawImage(picture, 0, 0, 1280, 1280);
  return new Promise((done) => canvas.toBlob((blob) => done(blob!), "image/png"));
}
