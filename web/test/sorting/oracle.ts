// What must come out, said as plainly as can be: a number a key, compared as numbers. Shares nothing with src/.
import type { Dtype, FloatOrder } from "../../src/index.ts";

export interface Order {
  dtype: Dtype;
  descending: boolean;
  floatOrder: FloatOrder;
  bitBegin: number;
  bitEnd: number;
}

export const bitsOf: Record<Dtype, number> = {
  bool: 8, u8: 8, i8: 8, u16: 16, i16: 16, u32: 32, i32: 32, u64: 64, i64: 64, f16: 16, bf16: 16, f32: 32, f64: 64,
};
const fractionBits: Partial<Record<Dtype, number>> = { f16: 10, bf16: 7, f32: 23, f64: 52 };

/** The key at `index`, as an unsigned number. */
export function rawKey(keys: Uint8Array, bits: number, index: number): bigint {
  let raw = 0n;
  for (let byte = bits / 8 - 1; byte >= 0; --byte) raw = (raw << 8n) | BigInt(keys[(index * bits) / 8 + byte]!);
  return raw;
}

function isNan(raw: bigint, dtype: Dtype, bits: number): boolean {
  const fraction = BigInt(fractionBits[dtype]!);
  const magnitude = raw % 2n ** BigInt(bits - 1);
  const infinity = 2n ** BigInt(bits - 1) - 2n ** fraction;
  return magnitude > infinity;
}

/** The unsigned number whose order is the order asked for. */
export function mappedKey(raw: bigint, { dtype, descending, floatOrder }: Order): bigint {
  const bits = bitsOf[dtype];
  const half = 2n ** BigInt(bits - 1);
  const largest = 2n * half - 1n;
  let mapped = raw;
  if (dtype === "bool") mapped = raw === 0n ? 0n : 1n;
  else if (dtype.startsWith("i")) mapped = (raw + half) % (2n * half);
  else if (fractionBits[dtype] !== undefined) {
    if (floatOrder !== "bits" && isNan(raw, dtype, bits)) return floatOrder === "numeric" ? largest : 0n;
    const value = floatOrder !== "bits" && raw === half ? 0n : raw;
    mapped = value < half ? value + half : largest - value;
  }
  return descending ? largest - mapped : mapped;
}

const rangeOf = (mapped: bigint, { bitBegin, bitEnd }: Order): bigint => (mapped >> BigInt(bitBegin)) % 2n ** BigInt(bitEnd - bitBegin);

/** For each place of the result, the index of what belongs there. */
export function expectedOrder(keys: Uint8Array, count: number, order: Order): number[] {
  const bits = bitsOf[order.dtype];
  const ranged = Array.from({ length: count }, (_, i) => rangeOf(mappedKey(rawKey(keys, bits, i), order), order));
  const indices = Array.from({ length: count }, (_, i) => i);
  if (bits < 64) {
    const numbers = ranged.map(Number);
    return indices.sort((a, b) => numbers[a]! - numbers[b]! || a - b);
  }
  return indices.sort((a, b) => (ranged[a]! < ranged[b]! ? -1 : ranged[a]! > ranged[b]! ? 1 : a - b));
}

/** How many keys are not of the last key there is. */
export function expectedSortedCount(keys: Uint8Array, count: number, order: Order): number {
  const last = 2n ** BigInt(order.bitEnd - order.bitBegin) - 1n;
  let other = 0;
  for (let i = 0; i < count; ++i) if (rangeOf(mappedKey(rawKey(keys, bitsOf[order.dtype], i), order), order) !== last) ++other;
  return other;
}

/** The records at `order`, each of `bytes` bytes. */
export function permuted(records: Uint8Array, bytes: number, order: readonly number[]): Uint8Array {
  const result = new Uint8Array(order.length * bytes);
  order.forEach((index, i) => result.set(records.subarray(index * bytes, (index + 1) * bytes), i * bytes));
  return result;
}
