// Ranks by subgroups: lanes with equal digits find each other by ballots, the first of them counts them in the
// subgroup's row of counters (the multisplit of Ashkiani et al., 2016), and the rows are summed digit by digit.
// Works for any size of subgroup whose rows fit; ROWS is as many as the smallest size needs.
var<private> digits: array<u32, ITEMS>;  // in: the digit of item_of(j)
var<private> ranks: array<u32, ITEMS>;   // out: its place in the tile when sorted by digit, stably
var<private> own_starts: array<u32, OWN>;  // out: where digit place * OWN + e begins in the sorted tile
var<private> own_counts: array<u32, OWN>;  // out: and how many there are

fn rank_keys() {
  for (var i = place; i < ROWS * RADIX; i += WORKGROUP) {
    atomicStore(&rows[i], 0u);
  }
  workgroupBarrier();
  for (var j = 0u; j < ITEMS; j++) {  // unrolled
    let peers = lanes_with(digits[j]);
    let before = ones_below(peers);
    var first = 0u;
    if (is_last(peers, before)) {
      first = atomicAdd(&rows[row * RADIX + digits[j]], before + 1u);  // only its own subgroup touches a row
    }
    ranks[j] = (subgroupShuffle(first, highest(peers)) + before) | (digits[j] << 16u);
    workgroupBarrier();  // another lane may count this digit next, and lanes may run apart
  }
  sum_rows();
  for (var j = 0u; j < ITEMS; j++) {  // unrolled
    ranks[j] = (ranks[j] & 0xffffu) + atomicLoad(&rows[row * RADIX + (ranks[j] >> 16u)]);
  }
}

// Turns the rows into the places in the sorted tile where each subgroup's items of a digit begin.
fn sum_rows() {
  var sum = 0u;
  for (var e = 0u; e < OWN; e++) {
    let d = place * OWN + e;
    own_counts[e] = 0u;
    if (d < RADIX) {
      for (var r = 0u; r < ROWS; r++) {
        own_counts[e] += atomicLoad(&rows[r * RADIX + d]);
      }
    }
    sum += own_counts[e];
  }
  var start = workgroup_scan(sum).x;
  for (var e = 0u; e < OWN; e++) {
    let d = place * OWN + e;
    own_starts[e] = start;
    if (d < RADIX) {
      for (var r = 0u; r < ROWS; r++) {
        let count = atomicLoad(&rows[r * RADIX + d]);
        atomicStore(&rows[r * RADIX + d], start);
        start += count;
      }
    }
  }
  workgroupBarrier();
}

// Ballots of the lanes that hold the same digit. Bits of lanes that are not there are never set, because the first
// ballot is of those that are: some devices leave such bits undefined.
fn lanes_with(digit: u32) -> vec4<u32> {
  if (SUBGROUP_MAX <= 32u) {
    var word = subgroupBallot(true).x;
    for (var bit = 0u; bit < RADIX_BITS; bit++) {
      let mine = ((digit >> bit) & 1u) != 0u;
      word &= subgroupBallot(mine).x ^ select(0xffffffffu, 0u, mine);
    }
    return vec4<u32>(word, 0u, 0u, 0u);
  }
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

fn is_last(lanes_set: vec4<u32>, before: u32) -> bool {
  if (SUBGROUP_MAX <= 32u) {
    return (lanes_set.x >> lane_id) == 1u;
  }
  return before + 1u == ones(lanes_set);
}

fn highest(lanes_set: vec4<u32>) -> u32 {
  if (SUBGROUP_MAX <= 32u || all(lanes_set.yzw == vec3<u32>(0u, 0u, 0u))) {
    return firstLeadingBit(lanes_set.x);
  }
  if (lanes_set.w != 0u) {
    return 96u + firstLeadingBit(lanes_set.w);
  }
  if (lanes_set.z != 0u) {
    return 64u + firstLeadingBit(lanes_set.z);
  }
  return 32u + firstLeadingBit(lanes_set.y);
}
