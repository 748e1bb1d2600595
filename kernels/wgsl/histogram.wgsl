// The digits of a workgroup's tiles, counted in workgroup memory.
const COPIES = 4u;  // of the histogram, so that neighbours seldom add to the same counter
var<workgroup> histogram: array<atomic<u32>, COPIES * RADIX>;

fn clear_histogram() {
  for (var i = place; i < COPIES * RADIX; i += WORKGROUP) {
    atomicStore(&histogram[i], 0u);
  }
  workgroupBarrier();
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

fn write_counts(group: u32, groups: u32) {
  for (var digit = place; digit < RADIX; digit += WORKGROUP) {
    var sum = 0u;
    for (var copy = 0u; copy < COPIES; copy++) {
      sum += atomicLoad(&histogram[copy * RADIX + digit]);
    }
    counts[digit * groups + group] = sum;
  }
}
