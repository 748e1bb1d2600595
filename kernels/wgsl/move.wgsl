// How a pass moves a tile whose items know their ranks: into order in workgroup memory, and from there to where each
// digit goes on.
var<workgroup> shifts: array<u32, RADIX>;  // from an item's place in the sorted tile to where it goes, by digit
var<private> moved: array<Key, ITEMS>;     // the key of place j * WORKGROUP + place in the sorted tile
var<private> values: array<Value, ITEMS>;  // of item_of(j), then of that place
var<private> targets: array<u32, ITEMS>;   // of that place
var<private> first_index: u32;             // that an argsort's indices count from

// Items past the end take the last digit; being last in the tile too, they rank behind all real ones.
fn take_digits(valid: u32) {
  if (flag(FLAG_PLAIN)) {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      digits[j] = key_digit(plain_order(keys[j]));
    }
  } else {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      digits[j] = key_digit(key_order(keys[j]));
    }
  }
  if (valid < TILE) {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      digits[j] = select(RADIX - 1u, digits[j], item_of(j) < valid);
    }
  }
}

fn load_values(begin: u32, course: Course) {
  if (course.nth == 0u && flag(FLAG_IOTA)) {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      values[j] = value_of_index(begin + item_of(j) - first_index);
    }
    return;
  }
  let side = side_read(course, flag(FLAG_VALUES_IN_PLACE));
  if (side == SIDE_SRC) {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      values[j] = values_src[begin + item_of(j)];
    }
  } else if (side == SIDE_DST) {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      values[j] = values_dst[begin + item_of(j)];
    }
  } else {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      values[j] = values_alt[begin + item_of(j)];
    }
  }
}

// The keys into the order of their ranks, a word at a time.
fn stage_keys() {
  var words: array<array<u32, ITEMS>, KEY_WORDS>;
  for (var word = 0u; word < KEY_WORDS; word++) {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      stage(ranks[j], key_word(keys[j], word));
    }
    workgroupBarrier();
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      words[word][j] = staged(j * WORKGROUP + place);
    }
    if (word + 1u < KEY_WORDS || VALUE_WORDS != 0u) {
      // Staged may be written again. The next tile's ranking has a barrier before anything is staged but by who read it.
      workgroupBarrier();
    }
  }
  for (var j = 0u; j < ITEMS; j++) {  // unrolled
    moved[j] = key_of_words(words[0][j], words[KEY_WORDS - 1u][j]);
  }
}

// And the values.
fn stage_values() {
  var words: array<array<u32, ITEMS>, 4>;
  for (var word = 0u; word < VALUE_WORDS; word++) {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      stage(ranks[j], value_word(values[j], word));
    }
    workgroupBarrier();
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      words[word][j] = staged(j * WORKGROUP + place);
    }
    if (word + 1u < VALUE_WORDS) {
      workgroupBarrier();  // as above
    }
  }
  for (var j = 0u; j < ITEMS; j++) {  // unrolled
    values[j] = value_of_words(vec4<u32>(words[0][j], words[1][j], words[2][j], words[3][j]));
  }
}

fn scatter_keys(valid: u32, course: Course) {
  if (flag(FLAG_PLAIN)) {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      targets[j] = shifts[key_digit(plain_order(moved[j]))] + j * WORKGROUP + place;
    }
  } else {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      targets[j] = shifts[key_digit(key_order(moved[j]))] + j * WORKGROUP + place;
    }
  }
  if (!(flag(FLAG_ARGSORT) && course.nth + 1u == course.pass_total)) {
    if (side_written(course, course.nth, flag(FLAG_KEYS_IN_PLACE)) == SIDE_DST) {
      for (var j = 0u; j < ITEMS; j++) {  // unrolled
        if (j * WORKGROUP + place < valid) {
          keys_dst[targets[j]] = moved[j];
        }
      }
    } else {
      for (var j = 0u; j < ITEMS; j++) {  // unrolled
        if (j * WORKGROUP + place < valid) {
          keys_alt[targets[j]] = moved[j];
        }
      }
    }
  }
}

fn scatter_values(valid: u32, course: Course) {
  if (side_written(course, course.nth, flag(FLAG_VALUES_IN_PLACE)) == SIDE_DST) {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      if (j * WORKGROUP + place < valid) {
        values_dst[targets[j]] = values[j];
      }
    }
  } else {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      if (j * WORKGROUP + place < valid) {
        values_alt[targets[j]] = values[j];
      }
    }
  }
}
