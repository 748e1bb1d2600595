// What goes round where a workgroup sorts a tile by itself: of each item the mapped key, and where it came from. The
// keys and values themselves are fetched once, at the end.
var<private> mapped: array<Key, ITEMS>;
var<private> origins: array<u32, ITEMS>;
var<workgroup> varying_lo: atomic<u32>;
var<workgroup> varying_hi: atomic<u32>;
var<workgroup> the_varying: vec2<u32>;

fn source_key(index: u32) -> Key {
  if (flag(FLAG_KEYS_IN_PLACE)) {
    return keys_dst[index];
  }
  return keys_src[index];
}

fn source_value(index: u32, iota: u32) -> Value {
  if (flag(FLAG_IOTA)) {
    return value_of_index(iota);
  }
  if (flag(FLAG_VALUES_IN_PLACE)) {
    return values_dst[index];
  }
  return values_src[index];
}

// What differs between the keys of the tile, when every invocation has added its own. They may be added to again
// after the next barrier.
fn all_varying(local_index: u32) -> vec2<u32> {
  workgroupBarrier();
  if (local_index == 0u) {
    the_varying = vec2<u32>(atomicExchange(&varying_lo, 0u), atomicExchange(&varying_hi, 0u));
  }
  return workgroupUniformLoad(&the_varying);
}

// Ranks the digits, and brings the items into the order of their ranks.
fn follow_ranks() {
  rank_keys();
  var words: array<array<u32, ITEMS>, KEY_WORDS>;
  for (var word = 0u; word < KEY_WORDS; word++) {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      stage(ranks[j], key_word(mapped[j], word));
    }
    workgroupBarrier();
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      words[word][j] = staged(item_of(j));
    }
    workgroupBarrier();
  }
  for (var j = 0u; j < ITEMS; j++) {  // unrolled
    mapped[j] = key_of_words(words[0][j], words[KEY_WORDS - 1u][j]);
    stage(ranks[j], origins[j]);
  }
  workgroupBarrier();
  for (var j = 0u; j < ITEMS; j++) {  // unrolled
    origins[j] = staged(item_of(j));
  }
  workgroupBarrier();
}
