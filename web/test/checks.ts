// What is checked on every host, by name. A check gets the host's GPU, throws when something is wrong, and may say
// what it saw. No Node and no vitest here: Chromium runs this file too.
import { equal } from "./equal.ts";
import { addOne, openDevice, readWords } from "./gpu.ts";
import { fullLadderChecks, ladderChecks } from "./ladder/chunk_sort.ts";
import { encodingChecks, textChecks } from "./sorting/encoding.ts";
import { segmentChecks } from "./sorting/segments.ts";
import { sortingChecks, thoroughChecks, tunedChecks } from "./sorting/sorting.ts";

export type Check = (gpu: GPU) => Promise<void>;

export const checks: Record<string, Check> = {
  "a dispatch adds one to every item": async (gpu) => {
    const device = await openDevice(gpu);
    const items = Uint32Array.from({ length: 1000 }, (_, index) => index * 3);
    const buffer = await addOne(device, items);
    equal(await readWords(device, buffer), items.map((item) => item + 1), "items");
    device.destroy();
  },
  ...encodingChecks,
  ...ladderChecks,
  ...segmentChecks,
  ...sortingChecks,
};

/** Those that are run once, in Node on llvmpipe. */
export const wideChecks: Record<string, Check> = { ...fullLadderChecks, ...textChecks, ...thoroughChecks };

/** Those that take too long on llvmpipe, run once in Node on SwiftShader. */
export const longChecks: Record<string, Check> = tunedChecks;
