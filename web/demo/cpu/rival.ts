// What a page would use without a GPU: the browser's own TypedArray.sort, on the same keys, held to the same proof.
import type { Dtype } from "../../src/index.ts";
import { rawOf, type Bytes, type Raw } from "./format.ts";
import { faultOfIndices, faultOfKeys, faultOfMoved, imagesOf } from "./proof.ts";
import { enough, spreadOf, type Spread } from "./statistics.ts";
import type { WholeSort } from "../rig.ts";

export interface Rival {
  name: string;
  version: string;
  verified: boolean;
  fault: string | null;
  spread: Spread | null;
}

type Numbers = Exclude<ArrayBufferView<ArrayBuffer>,
  DataView> & { sort(compare?: (a: never, b: never) => number): unknown; slice(): Numbers; set(from: Numbers): void };
const arrays: Partial<Record<Dtype, new (buffer: ArrayBuffer, offset: number, length: number) => unknown>> = {
  u8: Uint8Array, i8: Int8Array, u16: Uint16Array, i16: Int16Array, u32: Uint32Array, i32: Int32Array,
    u64: BigUint64Array, i64: BigInt64Array,
  f32: Float32Array, f64: Float64Array, bool: Uint8Array,
};
const mostCompared = 2 ** 20;  // a comparator in script takes seconds beyond

interface Race {
  /** One sort of fresh input, of which `prepare` was outside the clock. */
  prepare: () => void;
  sort: () => void;
  fault: () => string | undefined;
}

function byKeys(keys: Bytes, numbers: Numbers, dtype: Dtype): Race {
  const work = numbers.slice();
  return {
    prepare: () => work.set(numbers),
    sort: () => void work.sort(),
    fault: () => faultOfKeys(keys, new Uint8Array(work.buffer, work.byteOffset, work.byteLength), dtype, false),
  };
}

function byIndices(keys: Bytes, numbers: Numbers, dtype: Dtype, moved: boolean): Race {
  const values = numbers as unknown as ArrayLike<number>;
  const sorted = numbers.slice() as unknown as Record<number, number>;
  let indices = new Uint32Array();
  return {
    prepare: () => {},
    sort: () => {
      indices = new Uint32Array(values.length);
      for (let i = 0; i < indices.length; ++i) indices[i] = i;
      indices.sort((a, b) => (values[a]! < values[b]! ? -1 : values[a]! > values[b]! ? 1 : 0));
      if (moved) for (let i = 0; i < indices.length; ++i) sorted[i] = values[indices[i]!]!;
    },
    fault: () => faultOfIndices(imagesOf(keys, dtype, false),
      indices) ?? (moved ? faultOfMoved(rawOf(keys, dtype), rawAs(sorted as never, dtype), indices) : undefined),
  };
}

const rawAs = (numbers: Numbers,
  dtype: Dtype): Raw => rawOf(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), dtype);

export function raceRival(keys: Bytes, dtype: Dtype, operation: WholeSort, seconds: number,
  timed: boolean): Rival | undefined {
  const made = arrays[dtype];
  if (made === undefined) return undefined;
  const numbers = new made(keys.buffer, keys.byteOffset, rawOf(keys, dtype).length) as Numbers;
  const compared = operation !== "sort";
  if (compared && rawOf(keys, dtype).length > mostCompared) return undefined;
  const race = compared ? byIndices(keys, numbers, dtype, operation === "sortPairs") : byKeys(keys, numbers, dtype);
  race.prepare();
  race.sort();
  const fault = race.fault() ?? null;
  const rival = { name: compared ? "TypedArray.sort (indices)" : "TypedArray.sort", version: navigator.userAgent,
    verified: fault === null, fault };
  return { ...rival, spread: fault === null && timed ? timeRace(race, seconds) : null };
}

// Short sorts many to a sample: a browser's clock may tick in tenths of a millisecond.
function timeRace(race: Race, seconds: number): Spread {
  const once = (): number => {
    race.prepare();
    const begin = performance.now();
    race.sort();
    return (performance.now() - begin) / 1000;
  };
  const batch = Math.min(2000, Math.max(1, Math.ceil(0.005 / Math.max(once(), 1e-6))));
  const samples: number[] = [];
  const begin = performance.now();
  do {
    let sum = 0;
    if (batch === 1) sum = once();
    else {
      const from = performance.now();  // the copy of fresh input is inside: a few percent of a short sort
      for (let i = 0; i < batch; ++i) {
        race.prepare();
        race.sort();
      }
      sum = (performance.now() - from) / 1000;
    }
    samples.push(sum / batch);
  } while (!enough(samples, (performance.now() - begin) / 1000, seconds));
  return spreadOf(samples);
}
