// Made by tools/contract.py from kernels/contract.toml; change it there.

export const binding = {
  keysSrc: 0,
  keysDst: 1,
  keysAlt: 2,
  valuesSrc: 3,
  valuesDst: 4,
  valuesAlt: 5,
  counts: 6,
  control: 7,
} as const;

export const offset = {
  begins: 5,
  ends: 6,
} as const;

export const uniform = {
  step: 0,
  request: 1,
} as const;

export const flag = {
  keysInPlace: 1,
  valuesInPlace: 2,
  argsort: 4,
  iota: 8,
  survey: 16,
  plain: 32,
  ends: 128,
  local: 256,
  chosen: 64,
} as const;

export const side = {
  src: 0,
  dst: 1,
  alt: 2,
} as const;

export const choice = {
  prefixLo: 0,
  prefixHi: 1,
  maskLo: 2,
  maskHi: 3,
  less: 4,
  inside: 5,
  words: 6,
} as const;

export const control = {
  count: 0,
  groups: 1,
  varyingLo: 2,
  varyingHi: 3,
  unsorted: 4,
  lastCount: 5,
  sortedCount: 6,
  kept: 7,
  tickets: 8,
  broken: 8,
  choices: 8,
  totals: 64,
  words: 320,
} as const;

export const chunk = {
  begin: 0,
  count: 1,
  first: 2,
  words: 3,
} as const;

export const message = {
  count: 1073741823,
  ready: 1073741824,
  done: 2147483648,
} as const;

export const limit = {
  stepStrideBytes: 256,
  sliceAlignBytes: 256,
  blockSegments: 256,
  maxTile: 65535,
} as const;

export const stepFields = ["shift", "digit_mask", "pass_index", "pass_count", "bit_begin", "radix_bits", "max_groups", "flags", "base_lo", "base_hi", "flip_lo", "flip_hi", "largest_lo", "largest_hi", "nan_lo", "nan_hi", "folded_lo", "folded_hi", "sign_lo", "sign_hi", "range_lo", "range_hi", "truth", "narrow_bits", "control_words", "looks", "withheld", "kept", "room", "block_segments", "stretches", "chunk_tiles"] as const;
export type Step = Record<(typeof stepFields)[number], number>;

export const requestFields = ["bound", "count_word", "count_on_device", "segment_count"] as const;
export type Request = Record<(typeof requestFields)[number], number>;

export const kernelNames = ["begin", "unpack", "count", "scan", "scatter", "tally", "sweep", "finish", "pack", "small", "probe", "keep", "cut", "segment_sums", "segment_list", "segments", "segment_count", "segment_scatter", "segment_finish", "segment_pack"] as const;
export type Kernel = (typeof kernelNames)[number];
export const kernelParts: Record<Kernel, readonly string[]> = {
  begin: ["key32", "value0", "item_count"],
  unpack: ["key32", "value0", "course"],
  count: ["key", "value0", "course", "place_plain", "load", "survey", "histogram"],
  scan: ["key32", "value0", "course", "place_plain"],
  scatter: ["key", "value", "course", "place", "staging", "rank", "load", "move", "bases"],
  tally: ["key", "value0", "course", "place_plain", "load", "survey", "messages"],
  sweep: ["key", "value", "course", "place", "staging", "rank", "load", "move", "messages"],
  finish: ["key", "value", "course", "settle"],
  pack: ["key32", "value0", "course"],
  small: ["key", "value", "item_count", "course", "place", "staging", "rank", "mapped"],
  probe: ["key", "value0", "course", "place_plain", "load", "source", "choice"],
  keep: ["key", "value", "course", "place_plain", "load", "source", "choice"],
  cut: ["key", "value", "course"],
  segment_sums: ["key32", "value0", "course", "place_plain", "offsets"],
  segment_list: ["key32", "value0", "course", "place_plain", "offsets"],
  segments: ["key", "value", "course", "place", "staging", "rank", "mapped", "offsets"],
  segment_count: ["key", "value0", "course", "place_plain", "load", "survey", "histogram", "chunk"],
  segment_scatter: ["key", "value", "course", "place", "staging", "rank", "load", "move", "bases", "chunk"],
  segment_finish: ["key", "value", "course", "settle", "chunk"],
  segment_pack: ["key32", "value0", "course", "offsets"],
};
