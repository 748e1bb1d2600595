// Keys and numbers of the splats that are seen, close together and in the splats' own order. One counter that all raise
// would do with a kernel less, but would deal places by chance: the sort is stable, so splats of equal depth would then
// be drawn in another order each frame. A scan of the groups' counts makes the image a function of the view.
@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> depth_keys: array<u32>;  // by splat
@group(0) @binding(2) var<storage, read_write> group_counts: array<u32>;  // after scan_groups: where a group's begin
@group(0) @binding(3) var<storage, read_write> seen: array<u32>;  // one word: how many
@group(0) @binding(4) var<storage, read_write> draw_args: array<u32>;
@group(0) @binding(5) var<storage, read_write> sort_args: array<u32>;
@group(0) @binding(6) var<storage, read_write> keys: array<u32>;
@group(0) @binding(7) var<storage, read_write> ids: array<u32>;

var<workgroup> sums: array<u32, GROUP>;
var<workgroup> seen_bits: array<atomic<u32>, GROUP / 32u>;

// One workgroup. Each invocation has a run of groups; the runs' sums are scanned in log steps (Hillis and Steele 1986).
@compute @workgroup_size(GROUP)
fn scan_groups(@builtin(local_invocation_index) local_index: u32) {
  let groups = (view.count + GROUP - 1u) / GROUP;
  let run = (groups + GROUP - 1u) / GROUP;
  let begin = min(local_index * run, groups);
  let end = min(begin + run, groups);
  var sum = 0u;
  for (var group = begin; group < end; group++) {
    sum += group_counts[group];
  }
  sums[local_index] = sum;
  for (var step = 1u; step < GROUP; step *= 2u) {
    workgroupBarrier();  // the sums of the step before stand
    let before = select(0u, sums[max(local_index, step) - step], local_index >= step);
    workgroupBarrier();  // all have read before one writes
    sums[local_index] += before;
  }
  var place = sums[local_index] - sum;
  for (var group = begin; group < end; group++) {
    let count = group_counts[group];
    group_counts[group] = place;
    place += count;
  }
  if (local_index == GROUP - 1u) {
    let total = sums[local_index];
    let groups_of_sort = lanesort_write_args(total);
    seen[0] = total;
    draw_args[0] = 4u;
    draw_args[1] = total;
    draw_args[2] = 0u;
    draw_args[3] = 0u;
    sort_args[0] = groups_of_sort.x;
    sort_args[1] = groups_of_sort.y;
    sort_args[2] = groups_of_sort.z;
  }
}

@compute @workgroup_size(GROUP)
fn place_seen(@builtin(global_invocation_id) invocation: vec3<u32>, @builtin(workgroup_id) workgroup: vec3<u32>,
              @builtin(local_invocation_index) local_index: u32) {
  let index = invocation.x;
  let word = local_index / 32u;
  let bit = 1u << (local_index % 32u);
  var key = NO_KEY;
  if (index < view.count) {
    key = depth_keys[index];
    if (index >= seen[0]) {
      keys[index] = NO_KEY;  // a sort of a fixed count finds what is no splat at the end
    }
  }
  if (key != NO_KEY) {
    atomicOr(&seen_bits[word], bit);  // each its own bit: in any order
  }
  workgroupBarrier();  // the bits of all invocations are there
  if (key != NO_KEY) {
    var place = group_counts[workgroup.x] + countOneBits(atomicLoad(&seen_bits[word]) & (bit - 1u));
    for (var before = 0u; before < word; before++) {
      place += countOneBits(atomicLoad(&seen_bits[before]));
    }
    keys[place] = key;
    ids[place] = index;
  }
}
