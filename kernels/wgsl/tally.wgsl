// tally: the single pass' one read ahead of its passes. All digits of all keys are counted, pass after pass in the totals
// of control, the keys are surveyed, and the messages of the first pass that runs are wiped.
const COPIES = 2u / KEY_WORDS;  // of the histograms; in 8 KiB whatever the key's width
const PASSES = 32u * KEY_WORDS / RADIX_BITS;
var<workgroup> histograms: array<atomic<u32>, COPIES * PASSES * RADIX>;

@compute @workgroup_size(WORKGROUP)
fn tally(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>,
         @builtin(local_invocation_index) local_index: u32) {
  place = local_index;
  let course = take_course(local_index);
  let side = select(SIDE_SRC, SIDE_DST, flag(FLAG_KEYS_IN_PLACE));
  for (var group = workgroup.x; group < course.groups; group += workgroups.x) {
    let tiles = tiles_of(course, group);
    for (var tile = tiles.x; tile < tiles.y; tile++) {
      let begin = tile * TILE;
      let valid = min(course.count - begin, TILE);
      load_keys(begin, side);
      order_keys();
      count_keys(valid);
      survey_keys(0u, begin, valid, course.count, side);
      wipe_messages(messages_of(course, 0u), tile);
    }
  }
  workgroupBarrier();
  add_totals();
  publish_survey(local_index);
}

fn count_keys(valid: u32) {
  let copy = (place % COPIES) * PASSES;
  for (var index = 0u; index < step.pass_count; index++) {
    let row = (copy + index) * RADIX;
    let shift = step.bit_begin + index * RADIX_BITS;
    if (valid == TILE) {
      for (var j = 0u; j < ITEMS; j++) {  // unrolled
        atomicAdd(&histograms[row + bits_at(key_range(keys[j]), shift)], 1u);
      }
    } else {
      for (var j = 0u; j < ITEMS; j++) {  // unrolled
        if (item_of(j) < valid) {
          atomicAdd(&histograms[row + bits_at(key_range(keys[j]), shift)], 1u);
        }
      }
    }
  }
}

fn add_totals() {
  for (var i = place; i < step.pass_count * RADIX; i += WORKGROUP) {
    var sum = 0u;
    for (var copy = 0u; copy < COPIES; copy++) {
      sum += atomicLoad(&histograms[copy * PASSES * RADIX + i]);
    }
    if (sum != 0u) {
      atomicAdd(&control[CONTROL_TOTALS + i], sum);
    }
  }
}
