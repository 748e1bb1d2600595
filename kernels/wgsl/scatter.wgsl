// scatter: each workgroup takes its tiles in turn, sorts each by the digit in workgroup memory and writes it out, digit
// by digit, behind what the groups before it and its own earlier tiles put there.
var<private> bases: array<u32, OWN>;       // where the group's next item of digit place * OWN + e goes
var<workgroup> shifts: array<u32, RADIX>;  // from an item's place in the sorted tile to where it goes, by digit
var<private> keys: array<Key, ITEMS>;      // of item_of(j)
var<private> moved: array<Key, ITEMS>;     // of place j * WORKGROUP + place in the sorted tile
var<private> values: array<Value, ITEMS>;  // first of the one, then of the other
var<private> targets: array<u32, ITEMS>;   // of the other

@compute @workgroup_size(WORKGROUP)
fn scatter(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>,
           entry: Entry) {
  take_place(entry);
  let course = take_course(entry.local_index);
  if (course.runs == 0u) {
    return;
  }
  for (var group = workgroup.x; group < course.groups; group += workgroups.x) {
    let tiles = tiles_of(course, group);
    let side = side_read(course, flag(FLAG_KEYS_IN_PLACE));
    load_keys(tiles.x * TILE, side);
    find_bases(group, course.groups);
    for (var tile = tiles.x; tile < tiles.y; tile++) {
      let begin = tile * TILE;
      let valid = min(course.count - begin, TILE);
      take_digits(valid);
      if (VALUE_WORDS != 0u) {
        load_values(begin, course);
      }
      rank_keys();
      find_shifts();
      stage_keys();
      if (tile + 1u < tiles.y) {
        load_keys(begin + TILE, side);  // on their way while these are written out
      }
      scatter_keys(valid, course);
      if (VALUE_WORDS != 0u) {
        stage_values();
        scatter_values(valid, course);
      }
    }
  }
}

// Sums of the digits' totals, plus what the groups before have of each.
fn find_bases(group: u32, groups: u32) {
  var totals: array<u32, OWN>;
  var sum = 0u;
  for (var e = 0u; e < OWN; e++) {
    let digit = min(place * OWN + e, RADIX - 1u);
    bases[e] = counts[digit * groups + group];
    totals[e] = select(0u, atomicLoad(&control[CONTROL_TOTALS + digit]), place * OWN + e < RADIX);
    sum += totals[e];
  }
  var start = workgroup_scan(sum).x;
  for (var e = 0u; e < OWN; e++) {
    bases[e] += start;
    start += totals[e];
  }
}

// What lies past the end is read as it may be, and not written.
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

fn find_shifts() {
  for (var e = 0u; e < OWN; e++) {
    let digit = place * OWN + e;
    if (digit < RADIX) {
      shifts[digit] = bases[e] - own_starts[e];
    }
    bases[e] += own_counts[e];
  }
}

fn load_values(begin: u32, course: Course) {
  if (course.nth == 0u && flag(FLAG_IOTA)) {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      values[j] = value_of_index(begin + item_of(j));
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
