// Ranks without subgroups: the tile's digits are sorted in workgroup memory, four bits a round, each carrying the index
// of its item; where an index ends is its item's rank. An invocation counts its items of a round in nibbles, so ITEMS is
// at most 15. The counters of all invocations are scanned two to a word, as in the scan-based radix sort of Harris,
// Sengupta and Owens (2007).
var<private> digits: array<u32, ITEMS>;  // in: the digit of item_of(j)
var<private> ranks: array<u32, ITEMS>;   // out: its place in the tile when sorted by digit, stably
var<private> own_starts: array<u32, OWN>;  // out: where digit place * OWN + e begins in the sorted tile
var<private> own_counts: array<u32, OWN>;  // out: and how many there are
var<workgroup> digit_starts: array<u32, RADIX>;
var<workgroup> digit_counts: array<u32, RADIX>;
var<workgroup> counters: array<u32, 8u * WORKGROUP>;  // low half: digits 0 to 7, high half: 8 to 15

fn rank_keys() {
  for (var j = 0u; j < ITEMS; j++) {
    let item = item_of(j);
    staging[item] = (digits[j] << 16u) | item;
  }
  for (var d = place; d < RADIX; d += WORKGROUP) {
    digit_starts[d] = 0u;
    digit_counts[d] = 0u;
  }
  workgroupBarrier();
  for (var bits = 16u; bits < 16u + RADIX_BITS; bits += 4u) {
    split_by_nibble(bits);
  }
  find_digits();
  for (var e = 0u; e < OWN; e++) {
    let d = min(place * OWN + e, RADIX - 1u);
    own_starts[e] = digit_starts[d];
    own_counts[e] = digit_counts[d];
  }
  // Turn "which item ended at place p" into "where did item i end".
  var ended: array<u32, ITEMS>;
  for (var j = 0u; j < ITEMS; j++) {
    ended[j] = staging[item_of(j)] & 0xffffu;
  }
  workgroupBarrier();
  for (var j = 0u; j < ITEMS; j++) {
    staging[ended[j]] = item_of(j);
  }
  workgroupBarrier();
  for (var j = 0u; j < ITEMS; j++) {
    ranks[j] = staging[item_of(j)];
  }
  workgroupBarrier();  // staged is free for the keys
}

// One stable round over the four bits of `staged` from bit `bits` up. Here an invocation takes ITEMS neighbours, so
// that the order of places is the order of items.
fn split_by_nibble(bits: u32) {
  var words: array<u32, ITEMS>;
  var before: array<u32, ITEMS>;  // equal nibbles of this invocation that come before
  var low = 0u;
  var high = 0u;
  for (var j = 0u; j < ITEMS; j++) {
    words[j] = staging[place * ITEMS + j];
    let nibble = (words[j] >> bits) & 15u;
    let shift = (nibble & 7u) * 4u;
    if (nibble < 8u) {
      before[j] = (low >> shift) & 15u;
      low += 1u << shift;
    } else {
      before[j] = (high >> shift) & 15u;
      high += 1u << shift;
    }
  }
  for (var k = 0u; k < 8u; k++) {
    counters[k * WORKGROUP + place] = ((low >> (4u * k)) & 15u) | (((high >> (4u * k)) & 15u) << 16u);
  }
  workgroupBarrier();
  scan_counters();
  for (var j = 0u; j < ITEMS; j++) {
    let nibble = (words[j] >> bits) & 15u;
    let starts = counters[(nibble & 7u) * WORKGROUP + place];
    let start = select(starts & 0xffffu, starts >> 16u, nibble >= 8u);
    staging[start + before[j]] = words[j];
  }
  workgroupBarrier();
}

// Exclusive prefix sums over the counters, nibble by nibble and in each by place; the high halves follow on all the
// low ones.
fn scan_counters() {
  var sum = 0u;
  for (var k = 0u; k < 8u; k++) {
    sum += counters[place * 8u + k];
  }
  let sums = workgroup_scan(sum);
  var running = sums.x + (sums.y << 16u);
  for (var k = 0u; k < 8u; k++) {
    let counter = counters[place * 8u + k];
    counters[place * 8u + k] = running;
    running += counter;
  }
  workgroupBarrier();
}

// The ends of the runs of equal digits in `staged`.
fn find_digits() {
  for (var j = 0u; j < ITEMS; j++) {
    let p = item_of(j);
    let digit = staging[p] >> 16u;
    if (p == 0u || (staging[max(p, 1u) - 1u] >> 16u) != digit) {
      digit_starts[digit] = p;
    }
  }
  workgroupBarrier();
  for (var j = 0u; j < ITEMS; j++) {
    let p = item_of(j);
    let digit = staging[p] >> 16u;
    if (p == TILE - 1u || (staging[min(p + 1u, TILE - 1u)] >> 16u) != digit) {
      digit_counts[digit] = p + 1u - digit_starts[digit];
    }
  }
  workgroupBarrier();
}
