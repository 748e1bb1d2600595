// The caller's keys where they lie, narrow ones several to a word.
fn source_key(index: u32) -> Key {
  if (step.narrow_bits == 32u) {
    return keys_src[index];
  }
  let per_word = 32u / step.narrow_bits;
  let packed = key_word(keys_src[index / per_word], 0u);
  return key_of_words((packed >> ((index % per_word) * step.narrow_bits)) & ((1u << step.narrow_bits) - 1u), 0u);
}

// A tile's, as by load_keys.
fn load_source(begin: u32) {
  if (step.narrow_bits == 32u) {
    load_keys(begin, SIDE_SRC);
  } else {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      keys[j] = source_key(begin + item_of(j));
    }
  }
}
