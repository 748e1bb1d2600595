import { test } from "vitest";
import { create, globals } from "webgpu";
import { runTrial } from "./sorting/trial.ts";
import { openDevice } from "./gpu.ts";
import { Sorter } from "../src/index.ts";
Object.assign(globalThis, globals);
const g = ((globalThis as any).zz = create([]));
const items = Number(process.env["ITEMS"] ?? 0), wg = Number(process.env["WG"] ?? 0), sub = process.env["SUB"] !== "0";
test("time", async () => {
  const device = await openDevice(g);
  const t0 = performance.now();
  const s = await Sorter.create(device, { dtype: "u32", operation: "sortPairs", maxCount: 30000, subgroups: sub, limits: { workgroup: wg, items, radixBits: Number(process.env["RB"] ?? 0) } });
  console.log(s.explain().split("\n").slice(0,3).join("|"), "create", performance.now() - t0);
  for (let i = 0; i < 2; i++) {
    const t1 = performance.now();
    await runTrial(device, { options: { dtype: "u32", operation: "sortPairs", maxCount: 30000, subgroups: sub, limits: { workgroup: wg, items, radixBits: Number(process.env["RB"] ?? 0) } }, count: 30000, pattern: "uniform", seed: 3 });
    console.log("trial", performance.now() - t1);
  }
  device.destroy();
}, 300000);
