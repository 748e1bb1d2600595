// What the page lets another thread do, so that it never stops to answer: makes keys, reads files, proves, and sorts as a
// rival. The keys of the last `make` or `read` stay here, and the others speak of them.
import type { Dtype } from "../../src/index.ts";
import { readNumberFile, type NumberFile } from "../files/number_file.ts";
import { rawOf, type Bytes } from "./format.ts";
import { makeKeys, type KeySpec } from "./keys.ts";
import { faultOfIndices, faultOfKeys, faultOfMoved, imagesOf } from "./proof.ts";
import { raceRival, type Rival } from "./rival.ts";
import type { WholeSort } from "../rig.ts";

export interface Result {
  keys?: Bytes;
  indices?: Uint32Array<ArrayBuffer>;
}

let held: { dtype: Dtype; keys: Bytes } | undefined;
let file: NumberFile | undefined;

function there<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("nothing was made or read before");
  return part;
}

export const jobs = {
  make(spec: KeySpec): Bytes {
    held = { dtype: spec.dtype, keys: makeKeys(spec) };
    return held.keys;
  },
  read({ name, bytes }: { name: string; bytes: Bytes }): { dtype: Dtype; keys: Bytes } {
    file = readNumberFile(name, bytes);
    held = { dtype: file.dtype, keys: file.keys };
    return held;
  },
  /** What is wrong with the result of a sort of the keys; nothing where it is right. */
  prove({ result, descending }: { result: Result; descending: boolean }): string | undefined {
    const { dtype, keys } = there(held);
    if (result.indices === undefined) return faultOfKeys(keys, result.keys!, dtype, descending);
    const fault = faultOfIndices(imagesOf(keys, dtype, descending), result.indices);
    if (fault !== undefined || result.keys === undefined) return fault;
    return faultOfMoved(rawOf(keys, dtype), rawOf(result.keys, dtype), result.indices);
  },
  race({ operation, seconds, timed }: { operation: WholeSort; seconds: number; timed: boolean }): Rival | undefined {
    const { dtype, keys } = there(held);
    return raceRival(keys, dtype, operation, seconds, timed);
  },
  write({ indices, descending }: { indices: Uint32Array; descending: boolean }): Bytes {
    return there(file).inOrder(indices, descending);
  },
};

export type Jobs = typeof jobs;
export type JobName = keyof Jobs;
export type Asked<Name extends JobName> = Parameters<Jobs[Name]>[0];
export type Answer<Name extends JobName> = ReturnType<Jobs[Name]>;
