// An invocation's place in its workgroup, where subgroups are used. WGSL does not say how local indices are dealt to
// subgroups, so places are: each subgroup takes the next ones, in the order of its lanes. Neighbouring places then
// share a subgroup whatever the device does.
struct Entry {
  @builtin(local_invocation_index) local_index: u32,
  @builtin(subgroup_invocation_id) subgroup_lane: u32,
}

const OWN = (RADIX + WORKGROUP - 1u) / WORKGROUP;  // digits that an invocation looks after
var<private> place: u32;
var<private> first_item: u32;
var<private> lane: u32;       // rank among the subgroup's invocations
var<private> lanes: u32;      // how many those are
var<private> row: u32;        // the subgroup's number in its workgroup
var<private> lane_id: u32;    // the device's number of the lane, as in ballots and shuffles
var<workgroup> places_taken: atomic<u32>;  // rows << 16 | places; both grow in one addition

fn take_place(entry: Entry) {
  lane_id = entry.subgroup_lane;
  lane = subgroupExclusiveAdd(1u);
  lanes = subgroupAdd(1u);
  var taken = 0u;
  if (lane == 0u) {
    taken = atomicAdd(&places_taken, (1u << 16u) | lanes);
  }
  taken = subgroupBroadcastFirst(taken);
  row = taken >> 16u;
  place = (taken & 0xffffu) + lane;
  first_item = (place - lane) * ITEMS + lane;
  workgroupBarrier();
}

// Do all devices that take this variant have subgroups of one size? Then strides are literals.
const SAME_LANES = ROWS * SUBGROUP_MAX == WORKGROUP;

// The index in the tile of this invocation's j-th item: a subgroup's items lie together, lanes beside each other.
fn item_of(j: u32) -> u32 {
  if (SAME_LANES) {
    return first_item + j * SUBGROUP_MAX;
  }
  return first_item + j * lanes;
}

var<workgroup> row_sums: array<u32, ROWS>;

// vec2(sum of what lower places gave, sum over the workgroup).
fn workgroup_scan(value: u32) -> vec2<u32> {
  let below = subgroupExclusiveAdd(value);
  let sum = subgroupAdd(value);
  if (lane == 0u) {
    row_sums[row] = sum;
  }
  workgroupBarrier();
  var sums = vec2<u32>(below, 0u);
  for (var r = 0u; r < ROWS; r++) {
    let other = row_sums[r];
    sums += vec2<u32>(select(0u, other, r < row), other);
  }
  workgroupBarrier();  // row_sums may be used again
  return sums;
}
