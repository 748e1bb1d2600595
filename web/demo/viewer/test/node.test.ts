// The frames' checks in Node, on the Vulkan driver that the environment names.
import { afterAll, test } from "vitest";
import { create, globals } from "webgpu";
import { viewerChecks } from "./checks.ts";

Object.assign(globalThis, globals);
// Kept by the global object: when it is collected, the process crashes.
const host = globalThis as typeof globalThis & { lanesortGpu?: GPU };
const gpu = (host.lanesortGpu = create([]));
afterAll(() => {
  delete host.lanesortGpu;
});

for (const [name, check] of Object.entries(viewerChecks)) test(name, () => check(gpu));
