// The library as one module with the kernels' text inside, and the kernels beside it as files.
import { copyFileSync, cpSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const { version } = JSON.parse(readFileSync(here("package.json"), "utf8")) as { version: string };

export const constants = { LANESORT_VERSION: JSON.stringify(version) };

/** What the package carries besides its code. */
const companions: Plugin = {
  name: "lanesort-companions",
  apply: "build",
  closeBundle() {
    rmSync(here("wgsl"), { recursive: true, force: true });
    cpSync(here("../kernels/wgsl"), here("wgsl"), { recursive: true });
    copyFileSync(here("../LICENSE"), here("LICENSE"));
  },
};

export default defineConfig({
  define: constants,
  plugins: [companions],
  server: { fs: { allow: [here("..")] } },
  build: {
    target: "es2022",
    minify: true,
    sourcemap: true,
    lib: { entry: here("src/index.ts"), formats: ["es"], fileName: "index" },
  },
});
