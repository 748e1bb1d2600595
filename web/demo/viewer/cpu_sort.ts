// The order of keys by counting, in two passes of 16 bits: stable, and no comparisons.

const digits = 65536;

/** The ids in the order of their keys, ascending; equal keys keep theirs. */
export function sortIds(keys: Uint32Array, ids: Uint32Array): Uint32Array<ArrayBuffer> {
  const low = new Uint32Array(digits);
  const high = new Uint32Array(digits);
  for (const key of keys) {
    low[key & 0xffff]!++;
    high[key >>> 16]!++;
  }
  toPlaces(low);
  toPlaces(high);
  const order = new Uint32Array(keys.length);  // places in `keys`
  for (let at = 0; at < keys.length; at++) order[low[keys[at]! & 0xffff]!++] = at;
  const sorted = new Uint32Array(keys.length);
  for (const at of order) sorted[high[keys[at]! >>> 16]!++] = ids[at]!;
  return sorted;
}

function toPlaces(counts: Uint32Array): void {
  let place = 0;
  for (let digit = 0; digit < digits; digit++) {
    const count = counts[digit]!;
    counts[digit] = place;
    place += count;
  }
}

export interface CpuJob {
  keys: Uint32Array<ArrayBuffer>;
  ids: Uint32Array<ArrayBuffer>;
}
export interface CpuResult {
  ids: Uint32Array<ArrayBuffer>;
  milliseconds: number;
}

export function runJob({ keys, ids }: CpuJob): CpuResult {
  const begin = performance.now();
  return { ids: sortIds(keys, ids), milliseconds: performance.now() - begin };
}
