// The checks in Node, on the Vulkan driver that the environment names.
import { afterAll, expect, test } from "vitest";
import { create, globals } from "webgpu";
import { version } from "../../src/index.ts";
import { checks, longChecks, wideChecks } from "../checks.ts";

Object.assign(globalThis, globals);
// Kept by the global object: when it is collected, the process crashes.
const host = globalThis as typeof globalThis & { lanesortGpu?: GPU };
const gpu = (host.lanesortGpu = create([]));
afterAll(() => {
  delete host.lanesortGpu;
});

test("the adapter is the one that was asked for", async () => {
  const adapter = await gpu.requestAdapter();
  expect(adapter?.info.description + " " + adapter?.info.device).toContain(process.env["LANESORT_EXPECT_DEVICE"] ?? "");
});

test("the version is the package's", async () => {
  const { default: manifest } = await import("../../package.json", { with: { type: "json" } });
  expect(version).toBe(manifest.version);
});

const device = process.env["LANESORT_EXPECT_DEVICE"];
for (const [name, check] of Object.entries(checks)) test(name, () => check(gpu));
for (const [name, check] of Object.entries(longChecks)) test.skipIf(device === "llvmpipe")(name, () => check(gpu));
for (const [name, check] of Object.entries(wideChecks)) test.skipIf(device === "SwiftShader")(name, () => check(gpu));
