// The small path for where no GPU is: least significant digit first, 8 bits a pass, over indices. The same order as
// the kernels', because the mapped keys are the same.

import { makeKeyOrder, mapKey } from "./order.js";
import type { Request } from "./plan.js";

// One pass over the byte at bit `shift` of `words`: a stable counting sort from `order` to a new one; the same order
// where all bytes are equal.
function sortByByte(order: Uint32Array, words: Uint32Array, shift: number): Uint32Array {
  const starts = new Uint32Array(257);
  for (const word of words) starts[((word >>> shift) & 255) + 1]!++;
  if (starts.includes(words.length)) return order;
  for (let digit = 0; digit < 256; ++digit) starts[digit + 1]! += starts[digit]!;
  const sorted = new Uint32Array(order.length);
  for (const index of order) sorted[starts[(words[index]! >>> shift) & 255]!++] = index;
  return sorted;
}

// The indices that sort the keys; `bytes` holds them as they lie in memory, little-endian.
export function argsortOnCpu(keys: ArrayBufferView, request: Request): Uint32Array {
  const width = request.keyBits / 8;
  const count = keys.byteLength / width;
  const view = new DataView(keys.buffer, keys.byteOffset, keys.byteLength);
  const order = makeKeyOrder(request.keyBits, request.kind, request.descending, request.nan, request.mantissaBits);
  const low = new Uint32Array(count);
  const high = new Uint32Array(width === 8 ? count : 0);
  for (let i = 0; i < count; ++i) {
    const at = i * width;
    const lo = width === 1 ? view.getUint8(at) : width === 2 ? view.getUint16(at, true) : view.getUint32(at, true);
    const mapped = mapKey(order, { lo, hi: width === 8 ? view.getUint32(at + 4, true) : 0 });
    low[i] = mapped.lo;
    if (width === 8) high[i] = mapped.hi;
  }
  let indices: Uint32Array = Uint32Array.from({ length: count }, (_, i) => i);
  for (let bit = 0; bit < request.keyBits; bit += 8) indices = sortByByte(indices, bit < 32 ? low : high, bit % 32);
  return indices;
}
