// Serves a folder of static files on localhost: node serve.mjs FOLDER [PORT]. Port 0 takes any that is free.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { pathToFileURL } from "node:url";

const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".csv": "text/csv", ".svm": "text/plain" };

export function serve(folder, port) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    const file = join(folder, path.endsWith(sep) ? join(path, "index.html") : path);
    try {
      if (!file.startsWith(normalize(folder)) || !statSync(file).isFile()) throw new Error();
    } catch {
      response.writeHead(404).end("not found\n");
      return;
    }
    response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream", "cache-control": "no-cache" });
    createReadStream(file).pipe(response);
  });
  return new Promise((done, fail) => server.once("error", fail).listen(port, "127.0.0.1", () => done(server)));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const server = await serve(process.argv[2] ?? "build-page", Number(process.argv[3] ?? 8000)).catch((problem) => {
    console.error(`serve: ${problem.message}`);
    process.exit(1);
  });
  console.log(`http://localhost:${server.address().port}/   (Ctrl+C ends it)`);
}
