// scatter: each workgroup takes its tiles in turn, sorts each by the digit in workgroup memory and writes it out, digit
// by digit, behind what the groups before it and its own earlier tiles put there.
var<workgroup> bases: array<u32, RADIX>;  // where the group's next item of each digit goes
var<private> keys: array<Key, ITEMS>;     // first of item_of(j), then of place j * WORKGROUP + place in the sorted tile
var<private> targets: array<u32, ITEMS>;

@compute @workgroup_size(WORKGROUP)
fn scatter(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>,
           entry: Entry) {
  take_place(entry);
  let course = take_course(entry.local_index);
  if (course.runs == 0u) {
    return;
  }
  for (var group = workgroup.x; group < course.groups; group += workgroups.x) {
    find_bases(group, course.groups);
    let tiles = tiles_of(course, group);
    for (var tile = tiles.x; tile < tiles.y; tile++) {
      let begin = tile * TILE;
      let valid = min(course.count - begin, TILE);
      load_keys(begin, valid, side_read(course, flag(FLAG_KEYS_IN_PLACE)));
      rank_keys();
      stage_keys();
      find_targets(valid);
      scatter_keys(valid, course);
      if (VALUE_WORDS != 0u) {
        move_values(begin, valid, course);
      }
      advance_bases();
    }
  }
}

// Sums of the digits' totals, plus what the groups before have of each.
fn find_bases(group: u32, groups: u32) {
  const each = (RADIX + WORKGROUP - 1u) / WORKGROUP;
  var sum = 0u;
  for (var e = 0u; e < each; e++) {
    let digit = place * each + e;
    if (digit < RADIX) {
      sum += atomicLoad(&control[CONTROL_TOTALS + digit]);
    }
  }
  var start = workgroup_scan(sum).x;
  for (var e = 0u; e < each; e++) {
    let digit = place * each + e;
    if (digit < RADIX) {
      bases[digit] = start + counts[digit * groups + group];
      start += atomicLoad(&control[CONTROL_TOTALS + digit]);
    }
  }
  workgroupBarrier();
}

// Items past the end take the last digit; being last in the tile too, they rank behind all real ones.
fn load_keys(begin: u32, valid: u32, side: u32) {
  if (side == SIDE_SRC) {
    for (var j = 0u; j < ITEMS; j++) {
      keys[j] = keys_src[begin + min(item_of(j), valid - 1u)];
    }
  } else if (side == SIDE_DST) {
    for (var j = 0u; j < ITEMS; j++) {
      keys[j] = keys_dst[begin + min(item_of(j), valid - 1u)];
    }
  } else {
    for (var j = 0u; j < ITEMS; j++) {
      keys[j] = keys_alt[begin + min(item_of(j), valid - 1u)];
    }
  }
  for (var j = 0u; j < ITEMS; j++) {
    digits[j] = select(RADIX - 1u, key_digit(key_order(keys[j])), item_of(j) < valid);
  }
}

// The keys into the order of their ranks, a word at a time.
fn stage_keys() {
  var words: array<array<u32, ITEMS>, KEY_WORDS>;
  for (var word = 0u; word < KEY_WORDS; word++) {
    for (var j = 0u; j < ITEMS; j++) {
      staged[ranks[j]] = key_word(keys[j], word);
    }
    workgroupBarrier();
    for (var j = 0u; j < ITEMS; j++) {
      words[word][j] = staged[j * WORKGROUP + place];
    }
    workgroupBarrier();  // staged may be written again
  }
  for (var j = 0u; j < ITEMS; j++) {
    keys[j] = key_of_words(words[0][j], words[KEY_WORDS - 1u][j]);
  }
}

fn find_targets(valid: u32) {
  for (var j = 0u; j < ITEMS; j++) {
    let p = j * WORKGROUP + place;
    let digit = select(RADIX - 1u, key_digit(key_order(keys[j])), p < valid);
    targets[j] = bases[digit] + p - digit_starts[digit];
  }
}

fn scatter_keys(valid: u32, course: Course) {
  if (flag(FLAG_ARGSORT) && course.nth + 1u == course.pass_total) {
    return;  // nobody reads them
  }
  let side = side_written(course, course.nth, flag(FLAG_KEYS_IN_PLACE));
  for (var j = 0u; j < ITEMS; j++) {
    if (j * WORKGROUP + place < valid) {
      if (side == SIDE_DST) {
        keys_dst[targets[j]] = keys[j];
      } else {
        keys_alt[targets[j]] = keys[j];
      }
    }
  }
}

fn value_at(index: u32, course: Course) -> Value {
  if (course.nth == 0u && flag(FLAG_IOTA)) {
    return value_of_index(index);
  }
  let side = side_read(course, flag(FLAG_VALUES_IN_PLACE));
  if (side == SIDE_SRC) {
    return values_src[index];
  }
  if (side == SIDE_DST) {
    return values_dst[index];
  }
  return values_alt[index];
}

fn move_values(begin: u32, valid: u32, course: Course) {
  var values: array<Value, ITEMS>;
  for (var j = 0u; j < ITEMS; j++) {
    values[j] = value_at(begin + min(item_of(j), valid - 1u), course);
  }
  var moved: array<vec4<u32>, ITEMS>;
  for (var word = 0u; word < VALUE_WORDS; word++) {
    for (var j = 0u; j < ITEMS; j++) {
      staged[ranks[j]] = value_word(values[j], word);
    }
    workgroupBarrier();
    for (var j = 0u; j < ITEMS; j++) {
      moved[j][word] = staged[j * WORKGROUP + place];
    }
    workgroupBarrier();  // staged may be written again
  }
  let side = side_written(course, course.nth, flag(FLAG_VALUES_IN_PLACE));
  for (var j = 0u; j < ITEMS; j++) {
    if (j * WORKGROUP + place < valid) {
      if (side == SIDE_DST) {
        values_dst[targets[j]] = value_of_words(moved[j]);
      } else {
        values_alt[targets[j]] = value_of_words(moved[j]);
      }
    }
  }
}

fn advance_bases() {
  workgroupBarrier();  // all targets are found
  for (var digit = place; digit < RADIX; digit += WORKGROUP) {
    bases[digit] += digit_counts[digit];
  }
  workgroupBarrier();
}
