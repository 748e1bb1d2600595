// Keys to sort, each pattern a function of its seed. Words of 64 bits, high and low, of which a key takes the upper ones.
import type { Dtype } from "../../src/index.ts";
import { formats, type Bytes } from "./format.ts";

export const patternNames = ["uniform", "few16", "sorted", "reversed", "equal", "special"] as const;
export type Pattern = (typeof patternNames)[number];

export interface KeySpec {
  dtype: Dtype;
  pattern: Pattern;
  count: number;
  seed: number;
}

/** xorshift32 (Marsaglia 2003). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>>= 0);
  };
}

type Draw = (index: number) => [high: number, low: number];

function drawOf({ pattern, count, seed }: KeySpec): Draw {
  const random = randomOf(seed);
  const among = Array.from({ length: pattern === "equal" ? 1 : 16 }, (): [number, number] => [random(), random()]);
  const part = (index: number): [number, number] => {
    const scaled = (index / count) * 2 ** 32;
    return [Math.floor(scaled), Math.floor((scaled % 1) * 2 ** 32)];
  };
  switch (pattern) {
    case "few16": case "equal": return () => among[random() % among.length]!;
    case "sorted": return part;
    case "reversed": return (index) => part(count - 1 - index);
    default: return () => [random(), random()];
  }
}

// The upper bits of floats that are easily sorted wrongly: zeros, infinities, NaN of both signs with payloads, subnormals.
const specials: Record<number, number[]> = {
  10: [0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c01, 1, 0x8001, 0x7bff, 0xfbff],
  7: [0, 0x8000, 0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x7f81, 1, 0x8001, 0x7f7f, 0xff7f],
  23: [0, 0x8000, 0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x7f81, 1, 0x8001, 0x7f7f, 0xff7f],
  52: [0, 0x8000, 0x7ff0, 0xfff0, 0x7ff8, 0xfff9, 0x7ff1, 1, 0x8001, 0x7fef, 0xffef],
};

const scratch = new DataView(new ArrayBuffer(8));

/** The bits of a float in [-1, 1), as high and low word. Narrow ones are cut, not rounded. */
function floatBits(high: number, low: number, fractionBits: number): [number, number] {
  const value = (high / 2 ** 31) - 1 + low / 2 ** 63;
  if (fractionBits === 52) {
    scratch.setFloat64(0, value);
    return [scratch.getUint32(0), scratch.getUint32(4)];
  }
  scratch.setFloat32(0, value);
  const bits = scratch.getUint32(0);
  if (fractionBits !== 10) return [bits, 0];
  const exponent = ((bits >>> 23) & 255) - 112;
  const half = exponent <= 0 ? 0 : (exponent << 10) | ((bits >>> 13) & 1023);
  return [(((bits >>> 31) << 15) | half) << 16, 0];
}

export function makeKeys(spec: KeySpec): Bytes {
  const { dtype, count, pattern } = spec;
  const { bytes, kind, fractionBits } = formats[dtype];
  const draw = drawOf(spec);
  const dice = randomOf(spec.seed ^ 0x5bd1e995);
  const keys = new Uint8Array(count * bytes);
  const view = new DataView(keys.buffer);
  for (let i = 0; i < count; ++i) {
    let [high, low] = draw(i);
    if (kind === "truth") high = (high >>> 31) << 24;
    else if (kind === "signed") high ^= 0x80000000;
    else if (kind === "float") [high, low] = floatBits(high, low, fractionBits);
    if (pattern === "special" && dice() % 2 === 0) [high, low] = special(spec.dtype, dice);
    if (bytes === 8) {
      view.setUint32(8 * i, low, true);
      view.setUint32(8 * i + 4, high, true);
    } else if (bytes === 4) view.setUint32(4 * i, high, true);
    else if (bytes === 2) view.setUint16(2 * i, high >>> 16, true);
    else view.setUint8(i, high >>> 24);
  }
  return keys;
}

function special(dtype: Dtype, dice: () => number): [number, number] {
  const { kind, fractionBits } = formats[dtype];
  if (kind !== "float") return [[0, 0xffffffff, 0x80000000, 0x7fffffff, 0x01000000][dice() % 5]!,
    dice() % 2 === 0 ? 0 : 0xffffffff];
  const list = specials[fractionBits]!;
  return [list[dice() % list.length]! << 16, 0];
}
