// What needs no GPU, two hosts for the same checks (test/checks.ts): Node on the `webgpu` package, and Chromium; and the
// built page in Chromium, and in Firefox where LANESORT_FIREFOX names one. The
// viewer's frames in Node, and the viewer of the page.
import { defineConfig } from "vitest/config";
import { constants } from "./vite.config.ts";

const project = (name: string, include = `test/hosts/${name}.test.ts`) => ({
  define: { ...constants },  // vitest takes keys out of what it is given
  test: {
    name,
    include: [include],
    // One device at a time: a software driver takes every processor there is.
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

export default defineConfig({
  test: {
    projects: [
      project("unit", "{test/unit/*,demo/viewer/test/unit}.test.ts"),
      project("node"), project("chromium"), project("page"), project("firefox"),
      project("viewer", "demo/viewer/test/node.test.ts"), project("viewer_page", "demo/viewer/test/page.test.ts"),
    ],
  },
});
