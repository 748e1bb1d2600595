// The page as static files that any host serves, from any folder: every address in it is relative.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { constants } from "../vite.config.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// Which sources a results file speaks of.
function commit(): string {
  const git = (...words: string[]) => execFileSync("git", words,
    { cwd: here("."), encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    return git("rev-parse", "HEAD") + (git("status", "--porcelain") === "" ? "" : "-dirty");
  } catch {
    return "unknown";
  }
}

export default defineConfig({
  root: here("."),
  base: "./",
  define: { ...constants, LANESORT_COMMIT: JSON.stringify(commit()) },
  server: { fs: { allow: [here("../..")] } },
  worker: { format: "es" },
  build: { target: "es2022", outDir: here("dist"), emptyOutDir: true, assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000 },
});
