// Keys to sort, as bytes. Every pattern is a function of its seed.
import type { Dtype } from "../../src/index.ts";
import { bitsOf } from "./oracle.ts";

export type Random = () => number;  // of 32 bits

/** xorshift32 (Marsaglia 2003). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>>= 0);
  };
}

export const patternNames = ["uniform", "few", "equal", "rising", "falling", "byte", "last", "special"] as const;
export type Pattern = (typeof patternNames)[number] | "each";  // each: every number once, in a mixed order, where there are as many items as numbers

// Zeros, infinities and NaN of both signs, and their neighbours, as the upper bits of a float of any width.
const specialHalves = [0x0000, 0x8000, 0x7c00, 0xfc00, 0x7f80, 0xff80, 0x7fff, 0xffff, 0x7e00, 0xfe01, 0x0001, 0x8001, 0x7ff0, 0xfff0, 0x3c00, 0xbc00, 0x7f7f, 0xff7f];

function wordOf(pattern: Pattern, bits: number, index: number, count: number, random: Random): bigint {
  const wide = (BigInt(random()) << 32n) | BigInt(random());
  const shift = BigInt(Math.max(0, bits - 16));
  switch (pattern) {
    case "uniform": return wide;
    case "few": return (wide % 3n) << shift;
    case "each": return BigInt(index) * 40503n;  // odd, so it visits every number of 16 bits
    case "equal": return 0x4242424242424242n;
    case "rising": return BigInt(index);
    case "falling": return BigInt(count - index);
    case "byte": return wide & 0xffn;
    case "last": return random() % 3 === 0 ? wide : ~0n;
    case "special": return (BigInt(specialHalves[random() % specialHalves.length]!) << shift) | (random() % 2 === 0 ? 0n : wide & ((1n << shift) - 1n));
  }
}

export function keysOf(dtype: Dtype, pattern: Pattern, count: number, random: Random): Uint8Array<ArrayBuffer> {
  const bytes = bitsOf[dtype] / 8;
  const keys = new Uint8Array(count * bytes);
  for (let i = 0; i < count; ++i) {
    let word = BigInt.asUintN(64, wordOf(pattern, bytes * 8, i, count, random));
    for (let byte = 0; byte < bytes; ++byte, word >>= 8n) keys[i * bytes + byte] = Number(word & 0xffn);
  }
  return keys;
}
