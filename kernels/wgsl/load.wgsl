// Keys from whichever side they stand on: a tile's, item_of(j) by this invocation, or one.
var<private> keys: array<Key, ITEMS>;

// All of them before the first is looked at, so that many reads are under way at once. What lies past the end is read as
// it may be.
fn load_keys(begin: u32, side: u32) {
  if (side == SIDE_SRC) {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      keys[j] = keys_src[begin + item_of(j)];
    }
  } else if (side == SIDE_DST) {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      keys[j] = keys_dst[begin + item_of(j)];
    }
  } else {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      keys[j] = keys_alt[begin + item_of(j)];
    }
  }
}

fn key_at(index: u32, side: u32) -> Key {
  if (side == SIDE_SRC) {
    return keys_src[index];
  }
  if (side == SIDE_DST) {
    return keys_dst[index];
  }
  return keys_alt[index];
}

// Of each its place in the order, in its stead.
fn order_keys() {
  if (flag(FLAG_PLAIN)) {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      keys[j] = plain_order(keys[j]);
    }
  } else {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      keys[j] = key_order(keys[j]);
    }
  }
}
