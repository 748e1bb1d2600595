// Two hosts for the same checks (test/checks.ts): Node on the `webgpu` package, and Chromium.
import { defineConfig } from "vitest/config";
import { constants } from "./vite.config.ts";

const project = (name: string) => ({
  define: constants,
  test: {
    name,
    include: [`test/hosts/${name}.test.ts`],
    // One device at a time: a software driver takes every processor there is.
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

export default defineConfig({ test: { projects: [project("node"), project("chromium")] } });
