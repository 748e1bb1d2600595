// Sorting checked against the oracle: shapes shrunk, so that a few thousand items fill many tiles and groups.
import type { Dtype, SorterOptions } from "../../src/index.ts";
import { Sorter } from "../../src/index.ts";
import type { Check } from "../checks.ts";
import { openDevice } from "../gpu.ts";
import { bitsOf } from "./oracle.ts";
import { patternNames, randomOf, type Pattern } from "./patterns.ts";
import { runTrial, type Trial } from "./trial.ts";

const dtypes = Object.keys(bitsOf) as Dtype[];
const isFloat = (dtype: Dtype): boolean => dtype.includes("f");
const tile = 32 * 2;
// Three workgroups share the tiles, each takes several. Drivers for the CPU take long to make larger kernels ready.
const manyTiles = { workgroup: 32, items: 2, radixBits: 4, groups: 3 };
const plain = { limits: manyTiles, subgroups: false };
const counts = [0, 1, 2, tile - 1, tile, tile + 1, 2 * tile, 7 * tile + 13];

const withDevice = (work: (device: GPUDevice) => Promise<void>): Check => async (gpu) => {
  const device = await openDevice(gpu);
  try {
    await work(device);
  } finally {
    device.destroy();
  }
};

const trialOf = (options: Omit<SorterOptions, "maxCount">, count: number, pattern: Pattern, seed: number, more: Partial<Trial> = {}): Trial => ({
  options: { maxCount: count, ...options }, count, pattern, seed, ...more,
});

async function runAll(device: GPUDevice, trials: Iterable<Trial>): Promise<void> {
  for (const trial of trials) await runTrial(device, trial);
}

function* everyDtype(ranking: Partial<SorterOptions>): Generator<Trial> {
  let seed = 1;
  for (const dtype of dtypes) {
    for (const descending of [false, true]) {
      for (const floatOrder of isFloat(dtype) ? (["numeric", "nanFirst", "bits"] as const) : (["numeric"] as const)) {
        const operation = (["sort", "sortPairs", "argsort"] as const)[seed % 3]!;
        const options = { dtype, descending, floatOrder, operation, inPlace: (seed & 2) === 0, ...ranking };
        yield trialOf(options, counts[seed % counts.length]!, isFloat(dtype) ? "special" : "uniform", ++seed);
        yield trialOf(options, 5 * tile + seed, "few", ++seed);
      }
    }
  }
}

function* everyCount(ranking: Partial<SorterOptions>): Generator<Trial> {
  let seed = 500;
  for (const count of counts) {
    for (const noSmall of [false, true]) {
      const limits = { ...ranking.limits, noSmall };
      yield trialOf({ dtype: "u32", operation: "sortPairs", ...ranking, limits }, count, "uniform", ++seed);
      yield trialOf({ dtype: "u16", operation: "argsort", ...ranking, limits }, count, "few", ++seed);
      yield trialOf({ dtype: "u8", inPlace: false, ...ranking, limits }, count, "uniform", ++seed);
    }
  }
}

function* everyPattern(): Generator<Trial> {
  let seed = 900;
  for (const pattern of patternNames) {
    for (const inPlace of [true, false]) {
      for (const operation of ["sort", "sortPairs", "argsort"] as const) {
        yield trialOf({ dtype: "u32", operation, inPlace, ...plain }, 4 * tile + 3, pattern, ++seed);
        yield trialOf({ dtype: "f64", operation, inPlace, ...plain }, 3 * tile + 1, pattern, ++seed);
        yield trialOf({ dtype: "i8", operation, inPlace, ...plain }, 100, pattern, ++seed);
      }
    }
  }
}

function* everyKey(): Generator<Trial> {
  const limits = { ...manyTiles, groups: 64 };
  const orders = [["f16", "numeric", false], ["f16", "numeric", true], ["bf16", "nanFirst", true], ["f16", "bits", false], ["i16", "numeric", true]] as const;
  for (const [dtype, floatOrder, descending] of orders) yield trialOf({ dtype, floatOrder, descending, limits, subgroups: false }, 65536, "each", 1);
}

function* everyRange(): Generator<Trial> {
  const ranges: [Dtype, number, number][] = [
    ["u32", 0, 0], ["u32", 5, 6], ["u32", 4, 20], ["u32", 16, 32], ["u32", 1, 32], ["f32", 16, 32], ["i32", 31, 32], ["u64", 0, 0], ["u64", 30, 35],
    ["u64", 27, 61], ["i64", 32, 64], ["f64", 0, 32], ["u16", 3, 12], ["u8", 7, 8], ["f16", 6, 16], ["bool", 0, 1], ["bool", 1, 8], ["u8", 0, 0],
  ];
  let seed = 1300;
  for (const [dtype, bitBegin, bitEnd] of ranges) {
    for (const descending of [false, true]) {
      const options = { dtype, bitBegin, bitEnd, descending, inPlace: descending, ...plain } as const;
      yield trialOf({ ...options, operation: "sort" }, 3 * tile + 5, isFloat(dtype) ? "special" : "uniform", ++seed);
      yield trialOf({ ...options, operation: "argsort" }, tile - 9, isFloat(dtype) ? "special" : "uniform", ++seed);
    }
  }
}

function* everyValueWidth(ranking: Partial<SorterOptions>): Generator<Trial> {
  let seed = 1700;
  for (const dtype of ["u32", "i64", "f16"] as const) {
    for (const inPlace of [true, false]) {
      for (const count of [tile, 3 * tile + 7]) {
        for (const valueBytes of [4, 8, 16]) yield trialOf({ dtype, operation: "sortPairs", valueBytes, inPlace, ...ranking }, count, "few", ++seed);
        for (const valueBytes of [4, 8]) {
          yield trialOf({ dtype, operation: "argsort", valueBytes, inPlace, ...ranking }, count, "few", ++seed);
          yield trialOf({ dtype, operation: "argsort", valueBytes, initialValues: true, inPlace, ...ranking }, count, "few", ++seed);
        }
      }
    }
  }
}

function* countsOnDevice(): Generator<Trial> {
  let seed = 2100;
  const maxCount = 4 * tile + 9;
  for (const told of [0, 1, tile, tile + 1, maxCount - 1, maxCount, maxCount + 1, 0xffffffff]) {
    // Fewer workgroups than the count needs, as many, more.
    for (const args of [undefined, 1, 2, 3, 50]) {
      const onDevice = args === undefined ? { told } : { told, args };
      const dtype = (["u32", "f32", "u8", "u64"] as const)[++seed % 4]!;
      const operation = (["sort", "sortPairs", "argsort"] as const)[seed % 3]!;
      yield trialOf({ dtype, operation, inPlace: (seed & 1) === 0, ...plain }, maxCount, "uniform", seed, { onDevice, intoPass: told === tile });
    }
    yield trialOf({ dtype: "u32", operation: "sortPairs", ...plain }, tile - 3, "uniform", ++seed, { onDevice: { told: Math.min(told, tile - 50) } });
  }
}

function* countsOfTheHost(): Generator<Trial> {
  let seed = 2500;
  for (const count of [0, 1, tile, 3 * tile]) {
    for (const maxCount of [3 * tile + 1, 5000]) {
      yield { options: { dtype: "u32", operation: "sortPairs", maxCount, inPlace: count !== 1, ...plain }, count, pattern: "uniform", seed: ++seed };
      yield { options: { dtype: "u8", operation: "argsort", maxCount, ...plain }, count, pattern: "uniform", seed: ++seed };
    }
  }
}

function* wideDigits(ranking: Partial<SorterOptions>): Generator<Trial> {
  const limits = { ...manyTiles, radixBits: 8 };
  yield trialOf({ dtype: "u32", operation: "sortPairs", ...ranking, limits }, 20000, "uniform", 31);
  yield trialOf({ dtype: "f32", operation: "argsort", bitBegin: 12, ...ranking, limits }, 20 * tile + 1, "special", 32);
  yield trialOf({ dtype: "i16", operation: "sortPairs", inPlace: false, ...ranking, limits }, 20 * tile + 1, "uniform", 33);
}

// A block of the scan is four counts of each invocation: one of them not quite full, the first of the next, several.
function* blocksOfTheScan(): Generator<Trial> {
  const block = 4 * manyTiles.workgroup;
  const limits = { ...manyTiles, groups: 1000 };
  let seed = 3000;
  for (const groups of [block - 1, block + 1, 3 * block + 29]) {
    for (const operation of ["sort", "argsort"] as const) {
      yield trialOf({ dtype: "u32", operation, limits, subgroups: false }, groups * tile - 5, "uniform", ++seed);
    }
  }
}

function* rowsInTheStaging(ranking: Partial<SorterOptions>): Generator<Trial> {
  for (const rows of [1, 2]) {
    const limits = { ...ranking.limits, rows };
    yield trialOf({ dtype: "u32", operation: "sortPairs", ...ranking, limits }, 20 * tile + 1, "few", 3100 + rows);
    yield trialOf({ dtype: "f64", operation: "argsort", ...ranking, limits }, tile - 1, "special", 3200 + rows);
  }
}

// Left alone, stalled (nobody looks twice), and with signals withheld by every second tile: then most tiles are counted by
// who waits for them.
function* singlePasses(ranking: Partial<SorterOptions>): Generator<Trial> {
  let seed = 3300;
  for (const [looks, withheld] of [[0, 0], [1, 0], [1, 2]] as const) {
    const limits = { ...ranking.limits, noSmall: true, groups: 40, looks, withheld };
    const options = { ...ranking, form: "singlePass", limits } as const;
    for (const count of counts) yield trialOf({ dtype: "u32", operation: "sortPairs", ...options }, count, "uniform", ++seed);
    yield trialOf({ dtype: "u32", operation: "sortPairs", ...options }, 150 * tile - 5, "few", ++seed);
    yield trialOf({ dtype: "f64", operation: "argsort", ...options }, 20 * tile + 1, "special", ++seed);
    yield trialOf({ dtype: "i16", inPlace: false, bitBegin: 3, ...options }, 20 * tile + 1, "uniform", ++seed);
    yield trialOf({ dtype: "u32", ...options }, 5 * tile, "uniform", ++seed, { onDevice: { told: 3 * tile + 1, args: 2 } });
  }
}

const bySinglePass: Check = withDevice(async (device) => {
  const sorter = await Sorter.create(device, { dtype: "u32", maxCount: 5 * tile, form: "singlePass", ...plain });
  if (!sorter.explain().includes("\na single pass a digit")) throw new Error(`it is another form:\n${sorter.explain()}`);
  sorter.destroy();
  await runAll(device, singlePasses(plain));
});

// Whatever the device can do with subgroups, or the check says nothing.
const withSubgroups = (trials: (ranking: Partial<SorterOptions>) => Iterable<Trial>): Check =>
  withDevice(async (device) => {
    if (!device.features.has("subgroups")) throw new Error("this host's device has no subgroups");
    const ranking = { limits: manyTiles };
    const sorter = await Sorter.create(device, { dtype: "u32", maxCount: 1, ...ranking });
    if (!sorter.explain().includes("\nsubgroups of")) throw new Error(`no subgroups are used:\n${sorter.explain()}`);
    sorter.destroy();
    await runAll(device, trials(ranking));
  });

// Round where a top-k goes another way: none, one, half a tile, three quarters of all, all, more than there are.
function* firstOnes(): Generator<Trial> {
  let seed = 3500;
  for (const count of [1, tile + 1, 20 * tile + 5]) {
    for (const k of [0, 1, tile / 2, tile / 2 + 1, 3 * tile, Math.ceil((3 * count) / 4) + 1, count + 1]) {
      const some: readonly Dtype[] = count > 2 * tile ? dtypes : ["u32", "f16"];  // less to compile
      const dtype = some[++seed % some.length]!;
      const results = [{}, { initialValues: true }, { keysWanted: false }, { valueBytes: 0 }][seed % 4]!;
      const options = { dtype, operation: "topK", k, descending: (seed & 4) === 0, ...results, ...plain } as const;
      yield trialOf(options, count, isFloat(dtype) ? "special" : "few", seed);
      yield trialOf(options, count, "last", seed, { onDevice: { told: Math.floor(count / 2), args: 1 + (seed % 4) } });
    }
  }
  const limits = { ...manyTiles, noSmall: true };
  yield trialOf({ dtype: "u32", operation: "topK", k: 100, subgroups: false, limits }, 20 * tile + 5, "equal", seed);
}

// Random requests, more of them where a host is asked for more.
function* anything(seed: number, trialCount: number): Generator<Trial> {
  const random = randomOf(seed);
  const pick = <T>(list: readonly T[]): T => list[random() % list.length]!;
  for (let i = 0; i < trialCount; ++i) {
    const dtype = pick(dtypes);
    const bitBegin = random() % 3 === 0 ? random() % (bitsOf[dtype] + 1) : 0;
    const bitEnd = random() % 3 === 0 ? bitBegin + (random() % (bitsOf[dtype] - bitBegin + 1)) : bitsOf[dtype];
    const options = {
      dtype, bitBegin, bitEnd, operation: pick(["sort", "sortPairs", "argsort"] as const), descending: pick([false, true]), inPlace: pick([false, true]),
      floatOrder: pick(["numeric", "nanFirst", "bits"] as const), subgroups: pick([false, true]), limits: { ...manyTiles, groups: pick([1, 2, 3, 7]), noSmall: pick([false, true]) },
    };
    yield trialOf(options, pick([random() % 3, random() % (tile * 2), random() % 3000]), pick(patternNames), random(), { intoPass: pick([false, true]), times: 1 });
  }
}

/** Every form, operation and dtype, on each host and driver. */
export const sortingChecks: Record<string, Check> = {
  "every dtype and order, with subgroups": withSubgroups(everyDtype),
  "counts on the device, and arguments that do not fit them": withDevice((device) => runAll(device, countsOnDevice())),
  "rows of counters apart, and in the memory of the staging": withSubgroups(rowsInTheStaging),
  "a single pass, without subgroups": bySinglePass,
  "a single pass, with subgroups": withSubgroups(singlePasses),
  "the first k": withDevice((device) => runAll(device, firstOnes())),
  "anything": withDevice((device) => runAll(device, anything(20261130, 60))),
  "digits of 8 bits, with subgroups": withDevice((device) => runAll(device, wideDigits({}))),
  "sorted twice in the same scratch": withDevice((device) => runTrial(device, trialOf({ dtype: "u32", ...plain }, 3 * tile, "uniform", 35, { times: 2 }))),
};

/** What depends on neither the host nor the size of a subgroup. */
export const thoroughChecks: Record<string, Check> = {
  "every dtype and order, without subgroups": withDevice((device) => runAll(device, everyDtype(plain))),
  "counts round a tile, without subgroups": withDevice((device) => runAll(device, everyCount(plain))),
  "counts round a tile, with subgroups": withSubgroups(everyCount),
  "every pattern": withDevice((device) => runAll(device, everyPattern())),
  "every key of 16 bits": withDevice((device) => runAll(device, everyKey())),
  "bit ranges": withDevice((device) => runAll(device, everyRange())),
  "values of every width, without subgroups": withDevice((device) => runAll(device, everyValueWidth(plain))),
  "values of every width, with subgroups": withSubgroups(everyValueWidth),
  "counts of the host below the most": withDevice((device) => runAll(device, countsOfTheHost())),
  "more workgroups than a block of the scan": withDevice((device) => runAll(device, blocksOfTheScan())),
  "digits of 8 bits, without subgroups": withDevice((device) => runAll(device, wideDigits({ subgroups: false }))),
};

/** Shapes as they are tuned, which llvmpipe takes minutes to compile. */
export const tunedChecks: Record<string, Check> = {
  "tuned shapes": withDevice((device) =>
    runAll(device, [
      trialOf({ dtype: "u32", operation: "sortPairs" }, 20000, "uniform", 41),
      trialOf({ dtype: "f32", operation: "argsort", bitBegin: 16, subgroups: false }, 20000, "special", 42),
    ])),
};
