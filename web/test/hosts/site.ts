// The built page, served as any host would serve it: files, their types, and nothing else. Under a folder, so that an
// address that is not relative leads nowhere.
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const types: Record<string,
  string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml",
  ".md": "text/plain" };
const folder = "/some/where/";

export async function buildSite(outDir: string): Promise<void> {
  const configFile = fileURLToPath(new URL("../../demo/vite.config.ts", import.meta.url));
  await build({ configFile, logLevel: "error", build: { outDir, emptyOutDir: true } });
}

/** For a browser that nobody can drive: a script that the page begins with, and what it posts. */
export interface Driver {
  script: string;
  said(text: string): void;
}

export async function serveSite(root: string, driver?: Driver): Promise<{ address: string; server: Server }> {
  const server = createServer((request, response) => {
    if (driver !== undefined && request.method === "POST") {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => void parts.push(part));
      return void request.on("end", () => {
        response.end();
        driver.said(Buffer.concat(parts).toString());
      });
    }
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://host").pathname);
    const file = join(root, path.replace(folder, "/").replace(/\/$/, "/index.html"));
    if (!path.startsWith(folder) || !file.startsWith(root) || !existsSync(file) || !statSync(file).isFile()) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" });
    if (driver !== undefined && file.endsWith("index.html")) return void response.end(readFileSync(file,
      "utf8").replace("<head>", `<head><script>${driver.script}</script>`));
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const at = server.address();
  if (at === null || typeof at !== "object") throw new Error("the server has no port");
  return { address: `http://127.0.0.1:${at.port}${folder}`, server };
}
