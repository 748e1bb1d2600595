// The ways to order what is seen, behind one face: lanesort in its forms, and what it is compared with.

import { Sorter, type SorterOptions } from "../../src/index.ts";
import { ChunkSort } from "../../ladder/chunk_sort.ts";
import { CpuSorter } from "./cpu_sorter.ts";

export type SorterName = "tuned" | "singlePass" | "reduceThenScan" | "chunk" | "cpu" | "unsorted";

/** What compaction.wgsl leaves: keys and ids of `seen` splats, then keys of all ones. */
export interface SeenSplats {
  keys: GPUBuffer;
  ids: GPUBuffer;
  seen: GPUBuffer;      // a u32
  drawArgs: GPUBuffer;
  sortArgs: GPUBuffer;  // by the sorter's writeArgsWgsl
  capacity: number;     // splats of the scene
}

export interface DepthSorter {
  readonly name: SorterName;
  /** WGSL: fn lanesort_write_args(count: u32) -> vec3<u32>. */
  readonly writeArgsWgsl: string;
  /** Where the order and the draw's arguments are when the recorded work is done. */
  readonly order: { ids: GPUBuffer; drawArgs: GPUBuffer };
  /** What runs, in lines. */
  explain(): string;
  encode(encoder: GPUCommandEncoder): void;
  /** To be called when the frame was submitted. */
  submitted?(): void;
  /** CPU alone: how long the last sort took, and how many frames it came late. */
  readonly late?: { milliseconds: number; frames: number } | undefined;
  destroy(): void;
}

export interface SorterChoice {
  name: SorterName;
  label: string;
  what: string;
  /** The most splats that it sorts. */
  limit?: number;
}

export const sorterChoices: readonly SorterChoice[] = [
  { name: "tuned", label: "Auto", what: "lanesort, in the form that was measured to be faster on such a device" },
  { name: "singlePass", label: "Single pass", what: "lanesort: one kernel a digit, in which workgroups look back at each other" },
  { name: "reduceThenScan", label: "Reduce–scan", what: "lanesort: three kernels a digit, in which no workgroup waits for another" },
  {
    name: "chunk", label: "Chunk sort", limit: ChunkSort.maxCount,
    what: "the tutorials' sort: 16 rounds of 2 bits, a workgroup for each chunk of 512, and one that scans them all",
  },
  { name: "cpu", label: "CPU", what: "keys are read back, sorted in a worker and sent again: a frame or more behind" },
  { name: "unsorted", label: "Unsorted", what: "in the order of the file: what is behind shows through" },
];

/** Why a choice cannot sort so many splats that are seen, in words. */
export function refusalOf({ label, limit }: SorterChoice, seen: number): string | undefined {
  if (limit === undefined || seen <= limit) return undefined;
  const whole = (count: number): string => count.toLocaleString("en");
  return `${label} takes at most ${whole(limit)} splats and ${whole(seen)} are seen: choose a smaller scene, or look at a part of this one.`;
}

/** What sorts when this is chosen and so many are seen. */
export const standInFor = (name: SorterName, seen: number): SorterName => (refusalOf(choiceOf(name), seen) === undefined ? name : "tuned");

export const choiceOf = (name: SorterName): SorterChoice => sorterChoices.find((choice) => choice.name === name)!;

/** For sorters that read no arguments. */
export const noArgs = "fn lanesort_write_args(count: u32) -> vec3<u32> { return vec3(1u); }\n";

/** `more`: options of lanesort's, by which tests make many tiles of few splats. */
export async function makeSorter(device: GPUDevice, name: SorterName, splats: SeenSplats, more: Partial<SorterOptions> = {}): Promise<DepthSorter> {
  switch (name) {
    case "tuned":
    case "singlePass":
    case "reduceThenScan": return makeLanesort(device, name, splats, more);
    case "chunk": return makeChunkSort(device, splats);
    case "cpu": return new CpuSorter(device, splats, noArgs);
    case "unsorted": return {
      name, writeArgsWgsl: noArgs, order: splats, explain: () => "no sort: the order of the file", encode: () => {}, destroy: () => {},
    };
  }
}

async function makeLanesort(
  device: GPUDevice, form: NonNullable<SorterOptions["form"]>, splats: SeenSplats, more: Partial<SorterOptions>,
): Promise<DepthSorter> {
  const sorter = await Sorter.create(device, { ...more, operation: "sortPairs", dtype: "u32", maxCount: splats.capacity, form, label: "splats" });
  return {
    name: form, order: splats, writeArgsWgsl: sorter.writeArgsWgsl,
    explain: () => sorter.explain(),
    encode: (encoder) => sorter.encode(encoder, { keys: splats.keys, values: splats.ids, countBuffer: splats.seen, args: splats.sortArgs }),
    destroy: () => sorter.destroy(),
  };
}

// It takes its count from the host, who does not know how many are seen: it sorts all there may be, the keys of all ones
// to the end.
function makeChunkSort(device: GPUDevice, splats: SeenSplats): DepthSorter {
  const sorter = new ChunkSort(device);
  const count = Math.min(splats.capacity, ChunkSort.maxCount);
  sorter.prepare(splats.keys, splats.ids, count);
  return {
    name: "chunk", order: splats, writeArgsWgsl: noArgs,
    explain: () => `chunk sort of ${count} keys of 32 bits, seen or not: 16 rounds of 2 bits, 3 kernels each`,
    encode: (encoder) => sorter.encode(encoder),
    destroy: () => sorter.destroy(),
  };
}
