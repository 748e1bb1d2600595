// What the package would run here, by its plan, without running it.
import { LanesortError } from "../../src/index.ts";
import { capabilitiesOf, limitsOf, planFor, requestOf, type SortOptions } from "../../src/options.ts";
import { tileOf } from "../../src/shapes.ts";

const counts = [1000, 100_000, 1_000_000, 10_000_000, 100_000_000];
const sorts: { name: string; options: Omit<SortOptions, "maxCount"> }[] = [
  { name: "argsort f32", options: { operation: "argsort", dtype: "f32" } },
  { name: "keys u32", options: { operation: "sort", dtype: "u32" } },
  { name: "pairs u64 + 4 bytes", options: { operation: "sortPairs", dtype: "u64" } },
];

export const planHead = ["sort", "items", "form", "tile", "kernels", "workgroups at most", "scratch"];

function rowOf(device: GPUDevice, name: string, options: SortOptions): string[] {
  const count = options.maxCount.toLocaleString("en");
  try {
    const plan = planFor(device, requestOf(options), capabilitiesOf(device, true), limitsOf(options));
    const few = plan.dispatches.some(({ kernel }) => kernel === "small");
    const form = few ? "one workgroup" : plan.form === "single_pass" ? "single pass" : "reduce then scan";
    const workgroups = Math.max(...plan.dispatches.map((dispatch) => dispatch.workgroups));
    return [name, count, form, `${tileOf(plan.shape)} items`, String(plan.dispatches.length), String(workgroups),
      `${(plan.scratchBytes / 2 ** 20).toFixed(2)} MiB`];
  } catch (error) {
    if (!(error instanceof LanesortError)) throw error;
    return [name, count, `refused: ${error.message}`, "", "", "", ""];
  }
}

export const planRows = (device: GPUDevice): string[][] =>
  sorts.flatMap(({ name, options }) => counts.map((maxCount) => rowOf(device, name, { ...options, maxCount })));
