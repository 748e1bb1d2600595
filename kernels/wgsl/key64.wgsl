// A key of 64 bits: its low word, then its high word, as they lie in memory. The order is that of
// kernels/key_order.hpp, with its numbers in `step`.
alias Key = vec2<u32>;

fn key_order(raw: Key) -> Key {
  let magnitude = raw.y & ~step.sign_hi;
  if (magnitude > step.largest_hi || (magnitude == step.largest_hi && raw.x > step.largest_lo)) {
    return vec2<u32>(step.nan_lo, step.nan_hi);
  }
  let folds = all(raw == vec2<u32>(step.folded_lo, step.folded_hi));
  let folded = select(raw, vec2<u32>(0u, 0u), folds);
  let flip = select(vec2<u32>(0u, 0u), vec2<u32>(step.flip_lo, step.flip_hi), (folded.y & step.sign_hi) != 0u);
  return folded ^ vec2<u32>(step.base_lo, step.base_hi) ^ flip;
}

fn key_digit(mapped: Key) -> u32 {
  if (step.shift >= 32u) {
    return (mapped.y >> (step.shift - 32u)) & step.digit_mask;
  }
  // Two shifts, because one by 32 is not a shift by 32.
  return ((mapped.x >> step.shift) | ((mapped.y << 1u) << (31u - step.shift))) & step.digit_mask;
}

// The same where the order is plain (FLAG_PLAIN).
fn plain_order(raw: Key) -> Key {
  return raw ^ vec2<u32>(step.base_lo, step.base_hi);
}

// The part that the bit range looks at.
fn key_range(mapped: Key) -> vec2<u32> {
  return mapped & vec2<u32>(step.range_lo, step.range_hi);
}

const KEY_WORDS = 2u;
fn key_word(key: Key, word: u32) -> u32 {
  return key[word];
}
fn key_of_words(lo: u32, hi: u32) -> Key {
  return vec2<u32>(lo, hi);
}
