// Small sorts of every key type and operation, both directions, each proved; and of the kernels for many items.
import { LanesortError, type Dtype } from "../../src/index.ts";
import { dtypeNames } from "../cpu/format.ts";
import type { Thread } from "../cpu/thread.ts";
import { Rig, type WholeSort } from "../rig.ts";
import type { FormName } from "../bench/results.ts";

export interface Trial {
  name: string;
  operation: WholeSort;
  dtype: Dtype;
  count: number;
  descending: boolean;
  form: FormName;
}

export interface Verdict {
  trial: Trial;
  fault?: string;
  remedy?: string;
}

const operations: WholeSort[] = ["sort", "sortPairs", "argsort"];
const ordered: Dtype[] = [...new Set<Dtype>(["u32", "f32", "i32", ...dtypeNames])];  // what most people sort comes first
const [fewItems, manyItems] = [250, 20_011];
const words: Record<WholeSort, string> = { sort: "keys", sortPairs: "pairs", argsort: "argsort" };

export function trials(): Trial[] {
  const trial = (operation: WholeSort, dtype: Dtype, count: number, descending: boolean, form: FormName): Trial =>
    ({ operation, dtype, count, descending, form,
      name: `${words[operation]} ${dtype}, ${count} items${descending ? ", descending" : ""}${form === "tuned" ? "" : form === "singlePass" ? ", single pass" : ", reduce then scan"}` });
  return [
    ...ordered.flatMap((dtype,
      i) => operations.map((operation, j) => trial(operation, dtype, fewItems, (i + j) % 2 === 1, "tuned"))),
    trial("argsort", "f32", manyItems, true, "reduceThenScan"),
    trial("sort", "u32", manyItems, false, "reduceThenScan"),
    trial("argsort", "f32", manyItems, false, "singlePass"),
    trial("sortPairs", "u64", manyItems, false, "tuned"),
    trial("argsort", "u8", manyItems, true, "tuned"),
  ];
}

export async function run(device: GPUDevice, thread: Thread, trial: Trial, seed: number): Promise<Verdict> {
  const { dtype, count, operation, descending, form } = trial;
  try {
    const keys = await thread.ask("make", { dtype, count, pattern: "special", seed });
    const rig = await Rig.create(device, { operation, dtype, descending, form }, keys);
    try {
      await rig.run();
      const fault = await thread.ask("prove", { result: await rig.read(), descending });
      if (fault === undefined) return { trial };
      return {
        trial, fault: `sorted wrongly (seed ${seed}): ${fault}`,
        remedy: "The driver ran a kernel wrongly. Update the GPU’s driver, or try another browser on this machine; until then create sorters with subgroups: false, and report this text.",
      };
    } finally {
      rig.destroy();
    }
  } catch (error) {
    if (error instanceof LanesortError) return { trial, fault: `${error.cause}${error.value === undefined ? "" : `, ${String(error.value)}`}${error.limit === undefined ? "" : `, limit ${String(error.limit)}`}`, remedy: error.remedy };
    throw error;
  }
}
