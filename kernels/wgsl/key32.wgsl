// A key of up to 32 bits. The order is that of kernels/key_order.hpp, with its numbers in `step`.
alias Key = u32;

fn key_order(raw: Key) -> Key {
  if (step.truth != 0u) {
    return select(0u, 1u, raw != 0u) ^ step.base_lo;
  }
  if ((raw & ~step.sign_lo) > step.largest_lo) {
    return step.nan_lo;
  }
  let folded = select(raw, 0u, raw == step.folded_lo);
  return folded ^ step.base_lo ^ select(0u, step.flip_lo, (folded & step.sign_lo) != 0u);
}

fn key_digit(mapped: Key) -> u32 {
  return (mapped >> step.shift) & step.digit_mask;
}

// The same where the order is plain (FLAG_PLAIN).
fn plain_order(raw: Key) -> Key {
  return raw ^ step.base_lo;
}

// The part that the bit range looks at; vec2(low, high) whatever the key's width.
fn key_range(mapped: Key) -> vec2<u32> {
  return vec2<u32>(mapped & step.range_lo, 0u);
}

const KEY_WORDS = 1u;
fn key_word(key: Key, word: u32) -> u32 {
  return key;
}
fn key_of_words(lo: u32, hi: u32) -> Key {
  return lo;
}
