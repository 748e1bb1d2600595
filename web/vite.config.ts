// The library as one module with the kernels' text inside, and the kernels beside it as files.
import { copyFileSync, cpSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const { version } = JSON.parse(readFileSync(here("package.json"), "utf8")) as { version: string };

export const constants = { LANESORT_VERSION: JSON.stringify(version) };

/** The kernels without their comments, which are an eighth of the module and stand in the files beside it. Marks of loops stay. */
const bareKernels: Plugin = {
  name: "lanesort-bare-kernels",
  apply: "build",
  enforce: "pre",
  load(id) {
    if (!id.endsWith(".wgsl?raw")) return undefined;
    const text = readFileSync(id.slice(0, -"?raw".length), "utf8");
    return `export default ${JSON.stringify(text.replace(/^ *\/\/.*\n/gm, "").replace(/ +\/\/ (?!unrolled$).*$/gm, ""))}`;
  },
};

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
  plugins: [bareKernels, companions],
  server: { fs: { allow: [here("..")] } },
  build: {
    target: "es2022",
    minify: true,
    sourcemap: true,
    lib: { entry: here("src/index.ts"), formats: ["es"], fileName: "index" },
  },
});
