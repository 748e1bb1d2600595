// Made by tools/contract.py from kernels/contract.toml; change it there.

const FLAG_KEYS_IN_PLACE = 1u;
const FLAG_VALUES_IN_PLACE = 2u;
const FLAG_ARGSORT = 4u;
const FLAG_IOTA = 8u;
const FLAG_SURVEY = 16u;
const FLAG_PLAIN = 32u;
const FLAG_ENDS = 128u;
const FLAG_LOCAL = 256u;
const FLAG_CHOSEN = 64u;
const SIDE_SRC = 0u;
const SIDE_DST = 1u;
const SIDE_ALT = 2u;
const CHOICE_PREFIX_LO = 0u;
const CHOICE_PREFIX_HI = 1u;
const CHOICE_MASK_LO = 2u;
const CHOICE_MASK_HI = 3u;
const CHOICE_LESS = 4u;
const CHOICE_INSIDE = 5u;
const CHOICE_WORDS = 6u;
const CONTROL_COUNT = 0u;
const CONTROL_GROUPS = 1u;
const CONTROL_VARYING_LO = 2u;
const CONTROL_VARYING_HI = 3u;
const CONTROL_UNSORTED = 4u;
const CONTROL_LAST_COUNT = 5u;
const CONTROL_SORTED_COUNT = 6u;
const CONTROL_KEPT = 7u;
const CONTROL_TICKETS = 8u;
const CONTROL_BROKEN = 8u;
const CONTROL_CHOICES = 8u;
const CONTROL_TOTALS = 64u;
const CONTROL_WORDS = 320u;
const CHUNK_BEGIN = 0u;
const CHUNK_COUNT = 1u;
const CHUNK_FIRST = 2u;
const CHUNK_WORDS = 3u;
const MESSAGE_COUNT = 1073741823u;
const MESSAGE_READY = 1073741824u;
const MESSAGE_DONE = 2147483648u;
const LIMIT_STEP_STRIDE_BYTES = 256u;
const LIMIT_SLICE_ALIGN_BYTES = 256u;
const LIMIT_BLOCK_SEGMENTS = 256u;
const LIMIT_MAX_TILE = 65535u;

struct Step {
  shift: u32,
  digit_mask: u32,
  pass_index: u32,
  pass_count: u32,
  bit_begin: u32,
  radix_bits: u32,
  max_groups: u32,
  flags: u32,
  base_lo: u32,
  base_hi: u32,
  flip_lo: u32,
  flip_hi: u32,
  largest_lo: u32,
  largest_hi: u32,
  nan_lo: u32,
  nan_hi: u32,
  folded_lo: u32,
  folded_hi: u32,
  sign_lo: u32,
  sign_hi: u32,
  range_lo: u32,
  range_hi: u32,
  truth: u32,
  narrow_bits: u32,
  control_words: u32,
  looks: u32,
  withheld: u32,
  kept: u32,
  room: u32,
  block_segments: u32,
  stretches: u32,
  chunk_tiles: u32,
}
@group(1) @binding(0) var<uniform> step: Step;

struct Request {
  bound: u32,
  count_word: u32,
  count_on_device: u32,
  segment_count: u32,
}
@group(1) @binding(1) var<uniform> request: Request;

@group(0) @binding(0) var<storage, read_write> keys_src: array<Key>;
@group(0) @binding(1) var<storage, read_write> keys_dst: array<Key>;
@group(0) @binding(2) var<storage, read_write> keys_alt: array<Key>;
@group(0) @binding(3) var<storage, read_write> values_src: array<Value>;
@group(0) @binding(4) var<storage, read_write> values_dst: array<Value>;
@group(0) @binding(5) var<storage, read_write> values_alt: array<Value>;
@group(0) @binding(6) var<storage, read_write> counts: array<u32>;
@group(0) @binding(7) var<storage, read_write> control: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> segment_begins: array<u32>;
@group(0) @binding(6) var<storage, read_write> segment_ends: array<u32>;
