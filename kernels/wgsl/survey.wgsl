// What the first read of a sort's keys sees: which bits differ, whether any two neighbours are out of order, and how many
// are of the last key there is.
var<workgroup> seen_varying_lo: atomic<u32>;
var<workgroup> seen_varying_hi: atomic<u32>;
var<workgroup> seen_unsorted: atomic<u32>;
var<workgroup> seen_last: atomic<u32>;
var<workgroup> unsorted_so_far: u32;
// What this invocation saw of all its tiles.
var<private> my_varying: vec2<u32>;
var<private> my_last: u32;

// A tile of what is sorted together, from item `first` up to `end`.
fn survey_keys(first: u32, begin: u32, valid: u32, end: u32, side: u32) {
  let range = vec2<u32>(step.range_lo, step.range_hi);
  let reference = key_range(key_order(key_at(first, side)));
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
