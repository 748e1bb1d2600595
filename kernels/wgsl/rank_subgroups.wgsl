// Ranks by subgroups: lanes with equal digits find each other by ballots, the first of them counts them in the
// subgroup's row of counters (the multisplit of Ashkiani et al., 2016), and the rows are summed digit by digit.
// Works for any size of subgroup whose rows fit; ROWS is as many as the smallest size needs.
var<private> digits: array<u32, ITEMS>;  // in: the digit of item_of(j)
var<private> ranks: array<u32, ITEMS>;   // out: its place in the tile when sorted by digit, stably
var<workgroup> digit_starts: array<u32, RADIX>;  // out: where each digit begins in the sorted tile
var<workgroup> digit_counts: array<u32, RADIX>;  // out: and how many there are
var<workgroup> staged: array<u32, TILE>;
var<workgroup> rows: array<atomic<u32>, ROWS * RADIX>;

fn rank_keys() {
  for (var i = place; i < ROWS * RADIX; i += WORKGROUP) {
    atomicStore(&rows[i], 0u);
  }
  workgroupBarrier();
  for (var j = 0u; j < ITEMS; j++) {
    let digit = digits[j];
    let peers = lanes_with(digit);
    let before = ones_below(peers);
    var first = 0u;
    if (before == 0u) {
      // Only its own subgroup touches a row, and the barrier below orders the rounds: relaxed suffices.
      first = atomicAdd(&rows[row * RADIX + digit], ones(peers));
    }
    ranks[j] = subgroupShuffle(first, lowest(peers)) + before;
    // The lanes must come together before the next round: some devices let them run apart.
    workgroupBarrier();
  }
  sum_rows();
  for (var j = 0u; j < ITEMS; j++) {
    ranks[j] += digit_starts[digits[j]] + atomicLoad(&rows[row * RADIX + digits[j]]);
  }
  workgroupBarrier();  // rows and the digits' tables may be written again
}

// Turns the rows into exclusive sums over the rows above, and finds where each digit begins.
fn sum_rows() {
  for (var d = place; d < RADIX; d += WORKGROUP) {
    var total = 0u;
    for (var r = 0u; r < ROWS; r++) {
      let count = atomicLoad(&rows[r * RADIX + d]);
      atomicStore(&rows[r * RADIX + d], total);
      total += count;
    }
    digit_counts[d] = total;
  }
  workgroupBarrier();
  const each = (RADIX + WORKGROUP - 1u) / WORKGROUP;
  var sum = 0u;
  for (var e = 0u; e < each; e++) {
    let d = place * each + e;
    sum += select(0u, digit_counts[min(d, RADIX - 1u)], d < RADIX);
  }
  var start = workgroup_scan(sum).x;
  for (var e = 0u; e < each; e++) {
    let d = place * each + e;
    if (d < RADIX) {
      digit_starts[d] = start;
      start += digit_counts[d];
    }
  }
  workgroupBarrier();
}

// Ballots of the lanes that hold the same digit. Bits of lanes that are not there are never set, because the first
// ballot is of those that are: some devices leave such bits undefined.
fn lanes_with(digit: u32) -> vec4<u32> {
  var peers = subgroupBallot(true);
  for (var bit = 0u; bit < RADIX_BITS; bit++) {
    let mine = ((digit >> bit) & 1u) != 0u;
    let ballot = subgroupBallot(mine);
    peers &= select(~ballot, ballot, mine);
  }
  return peers;
}

fn ones(lanes_set: vec4<u32>) -> u32 {
  if (SUBGROUP_MAX <= 32u) {
    return countOneBits(lanes_set.x);
  }
  let counts_of_words = countOneBits(lanes_set);
  return counts_of_words.x + counts_of_words.y + counts_of_words.z + counts_of_words.w;
}

fn ones_below(lanes_set: vec4<u32>) -> u32 {
  if (SUBGROUP_MAX <= 32u) {
    return countOneBits(lanes_set.x & ((1u << lane_id) - 1u));
  }
  let word = vec4<u32>(0u, 1u, 2u, 3u);
  let whole = vec4<u32>(word < vec4<u32>(lane_id >> 5u)) * 0xffffffffu;
  let part = vec4<u32>(word == vec4<u32>(lane_id >> 5u)) * ((1u << (lane_id & 31u)) - 1u);
  return ones(lanes_set & (whole | part));
}

fn lowest(lanes_set: vec4<u32>) -> u32 {
  if (SUBGROUP_MAX <= 32u || lanes_set.x != 0u) {
    return firstTrailingBit(lanes_set.x);
  }
  if (lanes_set.y != 0u) {
    return 32u + firstTrailingBit(lanes_set.y);
  }
  if (lanes_set.z != 0u) {
    return 64u + firstTrailingBit(lanes_set.z);
  }
  return 96u + firstTrailingBit(lanes_set.w);
}
