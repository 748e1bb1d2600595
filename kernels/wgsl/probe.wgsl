// probe: top-k's search for its last key, a digit a dispatch from the highest down (radix select). Each first chooses,
// of the digit that the one before counted, the bin that holds the k-th key, and settles how many keys each group has
// below it and in it; then it counts the next digit of the keys in that bin: counts[digit * groups + group], and their
// totals in control. Every workgroup makes the choice for itself, so nothing waits. The last dispatch only chooses.
const COPIES = 4u;  // of the histogram, so that neighbours seldom add to the same counter
var<workgroup> histogram: array<atomic<u32>, COPIES * RADIX>;
var<workgroup> the_digit: u32;

@compute @workgroup_size(WORKGROUP)
fn probe(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>,
         @builtin(local_invocation_index) local_index: u32) {
  place = local_index;
  let course = take_course(local_index);
  let before = take_choice(course.count);
  let counted = step.pass_index != 0u && !fits(before);
  if (counted) {
    choose(before);
  }
  let choice = workgroupUniformLoad(&the_choice);
  let digit = workgroupUniformLoad(&the_digit);
  let last = step.pass_index == step.pass_count;
  for (var group = workgroup.x; group < course.groups; group += workgroups.x) {
    let tiles = tiles_of(course, group);
    if (step.pass_index == 0u) {
      settle_all(group, tiles, course.count);
    }
    if (counted) {
      settle(group, course.groups, digit);
    }
    if (!last && !fits(choice)) {
      clear_histogram();
      for (var tile = tiles.x; tile < tiles.y; tile++) {
        let begin = tile * TILE;
        load_source(begin);
        order_keys();
        count_keys(min(course.count - begin, TILE), choice.prefix);
      }
      workgroupBarrier();
      write_counts(group, course.groups);
      workgroupBarrier();
    }
  }
  if (workgroup.x == 0u && local_index == 0u) {
    store_choice(step.pass_index, choice);
    if (last) {
      atomicStore(&control[CONTROL_KEPT], kept_of(choice));
    }
  }
}

// As the dispatch before left it; at first nothing is known, and all keys are inside.
fn take_choice(count: u32) -> Choice {
  if (place == 0u) {
    if (step.pass_index == 0u) {
      the_choice = Choice(vec2<u32>(0u, 0u), vec2<u32>(0u, 0u), 0u, count);
    } else {
      the_choice = load_choice(step.pass_index - 1u);
    }
  }
  return workgroupUniformLoad(&the_choice);
}

fn total_of(digit: u32) -> u32 {
  if (digit >= RADIX) {
    return 0u;
  }
  return atomicLoad(&control[CONTROL_TOTALS + (step.pass_index - 1u) * RADIX + digit]);
}

// One invocation finds the k-th key among its digits.
fn choose(before: Choice) {
  var sum = 0u;
  for (var e = 0u; e < OWN; e++) {
    sum += total_of(place * OWN + e);
  }
  var start = before.less + workgroup_scan(sum).x;
  for (var e = 0u; e < OWN; e++) {
    let digit = place * OWN + e;
    let total = total_of(digit);
    if (start < step.kept && step.kept <= start + total) {
      let shift = step.bit_begin + (step.pass_count - step.pass_index) * RADIX_BITS;
      let mask = vec2<u32>(step.range_lo, step.range_hi);
      the_choice = Choice(before.prefix | shifted(digit, shift), mask, start, total);
      the_digit = digit;
    }
    start += total;
  }
}

fn shifted(digit: u32, shift: u32) -> vec2<u32> {
  if (shift >= 32u) {
    return vec2<u32>(0u, digit << (shift - 32u));
  }
  // Two shifts, because one by 32 is not a shift by 32.
  return vec2<u32>(digit << shift, (digit >> 1u) >> (31u - shift));
}

fn settle_all(group: u32, tiles: vec2<u32>, count: u32) {
  if (place == 0u) {
    counts[less_of(group)] = 0u;
    counts[inside_of(group)] = min(tiles.y * TILE, count) - min(tiles.x * TILE, count);
  }
}

// An invocation reads those counts alone that it writes itself.
fn settle(group: u32, groups: u32, digit: u32) {
  var sum = 0u;
  for (var e = 0u; e < OWN; e++) {
    let own = place * OWN + e;
    if (own < digit) {
      sum += counts[own * groups + group];
    }
    if (own == digit) {
      counts[inside_of(group)] = counts[own * groups + group];
    }
  }
  let less = workgroup_scan(sum).y;
  if (place == 0u) {
    counts[less_of(group)] += less;
  }
}

fn clear_histogram() {
  for (var i = place; i < COPIES * RADIX; i += WORKGROUP) {
    atomicStore(&histogram[i], 0u);
  }
  workgroupBarrier();
}

// The step's range is what stands above its digit.
fn count_keys(valid: u32, prefix: vec2<u32>) {
  let copy = (place % COPIES) * RADIX;
  for (var j = 0u; j < ITEMS; j++) {  // unrolled
    if (item_of(j) < valid && all(key_range(keys[j]) == prefix)) {
      atomicAdd(&histogram[copy + key_digit(keys[j])], 1u);
    }
  }
}

fn write_counts(group: u32, groups: u32) {
  for (var e = 0u; e < OWN; e++) {
    let digit = place * OWN + e;
    if (digit < RADIX) {
      var sum = 0u;
      for (var copy = 0u; copy < COPIES; copy++) {
        sum += atomicLoad(&histogram[copy * RADIX + digit]);
      }
      counts[digit * groups + group] = sum;
      if (sum != 0u) {
        atomicAdd(&control[CONTROL_TOTALS + step.pass_index * RADIX + digit], sum);
      }
    }
  }
}
