// count: each workgroup counts the digits of its tiles; counts[digit * groups + group].
// The first count of a sort also surveys the keys: which bits differ, whether any two neighbours are out of order, and
// how many are of the last key there is.
const COPIES = 4u;  // of the histogram, so that neighbours seldom add to the same counter
var<workgroup> histogram: array<atomic<u32>, COPIES * RADIX>;
var<workgroup> seen_varying_lo: atomic<u32>;
var<workgroup> seen_varying_hi: atomic<u32>;
var<workgroup> seen_unsorted: atomic<u32>;
var<workgroup> seen_last: atomic<u32>;
var<workgroup> unsorted_so_far: u32;
var<private> keys: array<Key, ITEMS>;
// What this invocation saw of all its tiles.
var<private> my_varying: vec2<u32>;
var<private> my_last: u32;

@compute @workgroup_size(WORKGROUP)
fn count(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>,
         @builtin(local_invocation_index) local_index: u32) {
  place = local_index;
  let course = take_course(local_index);
  let survey = flag(FLAG_SURVEY);
  if (!survey && course.runs == 0u) {
    return;
  }
  let in_place = flag(FLAG_KEYS_IN_PLACE);
  let keys_side = select(side_read(course, in_place), select(SIDE_SRC, SIDE_DST, in_place), survey);
  for (var group = workgroup.x; group < course.groups; group += workgroups.x) {
    clear_histogram();
    let tiles = tiles_of(course, group);
    for (var tile = tiles.x; tile < tiles.y; tile++) {
      let begin = tile * TILE;
      let valid = min(course.count - begin, TILE);
      load_keys(begin, valid, keys_side);
      count_keys(valid);
      if (survey) {
        survey_keys(begin, valid, course.count, keys_side);
      }
    }
    workgroupBarrier();
    write_counts(group, course.groups);
    workgroupBarrier();
  }
  if (survey) {
    publish_survey(local_index);
  }
}

fn clear_histogram() {
  for (var i = place; i < COPIES * RADIX; i += WORKGROUP) {
    atomicStore(&histogram[i], 0u);
  }
  workgroupBarrier();
}

// All of them before the first is looked at, so that many reads are under way at once.
fn load_keys(begin: u32, valid: u32, side: u32) {
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

fn count_keys(valid: u32) {
  let copy = (place % COPIES) * RADIX;
  if (valid == TILE) {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      atomicAdd(&histogram[copy + key_digit(keys[j])], 1u);
    }
  } else {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      if (item_of(j) < valid) {
        atomicAdd(&histogram[copy + key_digit(keys[j])], 1u);
      }
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

fn survey_keys(begin: u32, valid: u32, end: u32, side: u32) {
  let range = vec2<u32>(step.range_lo, step.range_hi);
  let reference = key_range(key_order(key_at(0u, side)));
  for (var j = 0u; j < ITEMS; j++) {  // unrolled
    if (item_of(j) < valid) {
      let mapped = key_range(keys[j]);
      my_varying |= mapped ^ reference;
      my_last += select(0u, 1u, all(mapped == range));
    }
  }
  // Once a neighbour was found out of order nobody looks any further for one.
  if (place == 0u) {
    unsorted_so_far = atomicLoad(&seen_unsorted);
  }
  if (workgroupUniformLoad(&unsorted_so_far) != 0u) {
    return;
  }
  var unsorted = 0u;
  for (var j = 0u; j < ITEMS; j++) {  // unrolled
    let mapped = key_range(keys[j]);
    let next = key_range(key_order(key_at(min(begin + item_of(j) + 1u, end - 1u), side)));
    unsorted |= select(0u, 1u, item_of(j) < valid && (next.y < mapped.y || (next.y == mapped.y && next.x < mapped.x)));
  }
  if (unsorted != 0u) {
    atomicStore(&seen_unsorted, 1u);
  }
}

fn write_counts(group: u32, groups: u32) {
  for (var digit = place; digit < RADIX; digit += WORKGROUP) {
    var sum = 0u;
    for (var copy = 0u; copy < COPIES; copy++) {
      sum += atomicLoad(&histogram[copy * RADIX + digit]);
    }
    counts[digit * groups + group] = sum;
  }
}

// Many workgroups write to the same word one after another, and read it all at once.
fn tell(word: u32, bits: u32) {
  if ((bits & ~atomicLoad(&control[word])) != 0u) {
    atomicOr(&control[word], bits);
  }
}

// Dispatches that come later read control, so relaxed atomics suffice.
fn publish_survey(local_index: u32) {
  atomicOr(&seen_varying_lo, my_varying.x);
  if (my_varying.y != 0u) {
    atomicOr(&seen_varying_hi, my_varying.y);
  }
  if (my_last != 0u) {
    atomicAdd(&seen_last, my_last);
  }
  workgroupBarrier();
  if (local_index == 0u) {
    tell(CONTROL_VARYING_LO, atomicLoad(&seen_varying_lo));
    tell(CONTROL_VARYING_HI, atomicLoad(&seen_varying_hi));
    tell(CONTROL_UNSORTED, atomicLoad(&seen_unsorted));
    if (atomicLoad(&seen_last) != 0u) {
      atomicAdd(&control[CONTROL_LAST_COUNT], atomicLoad(&seen_last));
    }
  }
}
