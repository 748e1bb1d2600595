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

@compute @workgroup_size(WORKGROUP)
fn count(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>,
         @builtin(local_invocation_index) local_index: u32) {
  place = local_index;
  let course = take_course(local_index);
  let survey = flag(FLAG_SURVEY);
  if (!survey && course.runs == 0u) {
    return;
  }
  let keys_side = select(side_read(course, flag(FLAG_KEYS_IN_PLACE)), select(SIDE_SRC, SIDE_DST, flag(FLAG_KEYS_IN_PLACE)), survey);
  for (var group = workgroup.x; group < course.groups; group += workgroups.x) {
    clear_histogram();
    let tiles = tiles_of(course, group);
    for (var tile = tiles.x; tile < tiles.y; tile++) {
      count_tile(tile * TILE, course.count, keys_side);
      if (survey) {
        survey_tile(tile * TILE, course.count, keys_side);
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

fn key_at(index: u32, side: u32) -> Key {
  if (side == SIDE_SRC) {
    return keys_src[index];
  }
  if (side == SIDE_DST) {
    return keys_dst[index];
  }
  return keys_alt[index];
}

fn count_tile(begin: u32, end: u32, side: u32) {
  for (var j = 0u; j < ITEMS; j++) {
    let index = begin + j * WORKGROUP + place;
    if (index < end) {
      let digit = key_digit(key_order(key_at(index, side)));
      atomicAdd(&histogram[(place % COPIES) * RADIX + digit], 1u);
    }
  }
}

fn survey_tile(begin: u32, end: u32, side: u32) {
  // Once a neighbour was found out of order nobody looks any further for one.
  if (place == 0u) {
    unsorted_so_far = atomicLoad(&seen_unsorted);
  }
  let look_for_order = workgroupUniformLoad(&unsorted_so_far) == 0u;
  let range = vec2<u32>(step.range_lo, step.range_hi);
  let reference = key_range(key_order(key_at(0u, side)));
  var differing = vec2<u32>(0u, 0u);
  var last = 0u;
  for (var j = 0u; j < ITEMS; j++) {
    let index = begin + j * WORKGROUP + place;
    if (index < end) {
      let mapped = key_range(key_order(key_at(index, side)));
      differing |= mapped ^ reference;
      last += select(0u, 1u, all(mapped == range));
      if (look_for_order && index + 1u < end) {
        let next = key_range(key_order(key_at(index + 1u, side)));
        if (next.y < mapped.y || (next.y == mapped.y && next.x < mapped.x)) {
          atomicOr(&seen_unsorted, 1u);
        }
      }
    }
  }
  if (any(differing != vec2<u32>(0u, 0u))) {
    atomicOr(&seen_varying_lo, differing.x);
    atomicOr(&seen_varying_hi, differing.y);
  }
  if (last != 0u) {
    atomicAdd(&seen_last, last);
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

// Dispatches that come later read control, so relaxed atomics suffice.
fn publish_survey(local_index: u32) {
  workgroupBarrier();
  if (local_index == 0u) {
    atomicOr(&control[CONTROL_VARYING_LO], atomicLoad(&seen_varying_lo));
    atomicOr(&control[CONTROL_VARYING_HI], atomicLoad(&seen_varying_hi));
    atomicOr(&control[CONTROL_UNSORTED], atomicLoad(&seen_unsorted));
    atomicAdd(&control[CONTROL_LAST_COUNT], atomicLoad(&seen_last));
  }
}
