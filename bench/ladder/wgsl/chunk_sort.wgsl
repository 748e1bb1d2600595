// The sort of the tutorials: u32 keys with their ids, two bits a round, in chunks of 512.
//
// Idea     A round is a stable partition by a digit of two bits. A workgroup ranks the items of its chunk: four flags an
//          item, one a digit, each scanned over the chunk. The chunks' totals, digit by digit, are scanned by one
//          workgroup: where the items of each digit of each chunk begin. Then every item is moved to its place.
// Cost     16 rounds of 3 dispatches. A round moves 28 bytes an item (rank: 4 in, 4 out; move: 12 in, 8 out), so 448 in
//          all, where four passes of 8 bits in the single-pass form move 68. Time O(n) at a barrier a step of the scan.
// Limit    One workgroup scans all totals: 4 x 512 of them fit its memory, so 512 chunks, 262,144 items.
// Source   Blelloch, "Prefix sums and their applications", 1990 (the scan); Harris, Sengupta and Owens, "Parallel prefix
//          sum (scan) with CUDA", GPU Gems 3, 2007 (bank padding and the sort by splits).
//
// Padding: past the count a lane ranks a key of all ones. Its digit is the last in every round and it stands behind all
// items, so that it stays there: it needs no memory, and an item of that key keeps its place before it.
struct Round {
  count: u32,   // items
  chunks: u32,
  row: u32,     // totals a digit: the chunks, up to the next power of two
  shift: u32,   // of the digit
}

const kWorkgroup = 256u;
const kChunk = 512u;
const kDigits = 4u;
const kMaxChunks = 512u;
const kTotals = kDigits * kMaxChunks;
const kPadding = 0xFFFFFFFFu;

// Shared memory has 32 banks and a scan walks by powers of two: an empty word after each 32 spreads its steps over them.
override kBankPadding: u32 = 1u;
fn slot(index: u32) -> u32 { return index + kBankPadding * (index / 32u); }

@group(0) @binding(0) var<storage, read> keys_src: array<u32>;
@group(0) @binding(1) var<storage, read> ids_src: array<u32>;
@group(0) @binding(2) var<storage, read_write> keys_dst: array<u32>;
@group(0) @binding(3) var<storage, read_write> ids_dst: array<u32>;
@group(0) @binding(4) var<storage, read_write> ranks: array<u32>;   // of each item among those of its digit in its chunk
@group(0) @binding(5) var<storage, read_write> totals: array<u32>;  // [digit][row]
@group(1) @binding(0) var<uniform> round: Round;

fn digit_of(key: u32) -> u32 { return (key >> round.shift) & (kDigits - 1u); }

var<workgroup> flags: array<array<u32, kChunk + kChunk / 32u>, kDigits>;

// Exclusive sums of the four flag arrays, each of which leaves its total in `total` (lanes 0 to 3).
fn scan_flags(lane: u32) -> u32 {
  for (var stride = 1u; stride < kChunk; stride *= 2u) {
    workgroupBarrier();  // the level below is whole
    let last = (lane + 1u) * stride * 2u - 1u;
    if (last < kChunk) {
      for (var digit = 0u; digit < kDigits; digit += 1u) { flags[digit][slot(last)] += flags[digit][slot(last - stride)]; }
    }
  }
  workgroupBarrier();  // the sums of all are there
  var total = 0u;
  if (lane < kDigits) {
    total = flags[lane][slot(kChunk - 1u)];
    flags[lane][slot(kChunk - 1u)] = 0u;
  }
  for (var stride = kChunk / 2u; stride > 0u; stride /= 2u) {
    workgroupBarrier();  // the level above is whole
    let last = (lane + 1u) * stride * 2u - 1u;
    if (last < kChunk) {
      for (var digit = 0u; digit < kDigits; digit += 1u) {
        let left = flags[digit][slot(last - stride)];
        flags[digit][slot(last - stride)] = flags[digit][slot(last)];
        flags[digit][slot(last)] += left;
      }
    }
  }
  workgroupBarrier();  // the ranks of all are there
  return total;
}

// One workgroup a chunk: ranks of its items, and how many each digit has.
@compute @workgroup_size(kWorkgroup)
fn rank_chunk(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u) {
  let begin = group.x * kChunk;
  for (var place = lane; place < kChunk; place += kWorkgroup) {
    var key = kPadding;
    if (begin + place < round.count) { key = keys_src[begin + place]; }
    for (var digit = 0u; digit < kDigits; digit += 1u) { flags[digit][slot(place)] = select(0u, 1u, digit_of(key) == digit); }
  }
  let total = scan_flags(lane);
  if (lane < kDigits) { totals[lane * round.row + group.x] = total; }
  for (var place = lane; place < kChunk; place += kWorkgroup) {
    if (begin + place < round.count) {
      let digit = digit_of(keys_src[begin + place]);
      ranks[begin + place] = flags[digit][slot(place)];
    }
  }
}

var<workgroup> sums: array<u32, kTotals + kTotals / 32u>;

// One workgroup in all: where the items of each digit of each chunk begin. What a row has past its chunks is taken for
// zero in every round, for the round before has left sums there.
@compute @workgroup_size(kWorkgroup)
fn scan_totals(@builtin(local_invocation_index) lane: u32) {
  let count = kDigits * round.row;
  for (var index = lane; index < count; index += kWorkgroup) {
    sums[slot(index)] = select(0u, totals[index], index % round.row < round.chunks);
  }
  for (var stride = 1u; stride < count; stride *= 2u) {
    workgroupBarrier();  // the level below is whole
    for (var last = (lane + 1u) * stride * 2u - 1u; last < count; last += kWorkgroup * stride * 2u) {
      sums[slot(last)] += sums[slot(last - stride)];
    }
  }
  workgroupBarrier();  // the whole sum is there, and is not wanted
  if (lane == 0u) { sums[slot(count - 1u)] = 0u; }
  for (var stride = count / 2u; stride > 0u; stride /= 2u) {
    workgroupBarrier();  // the level above is whole
    for (var last = (lane + 1u) * stride * 2u - 1u; last < count; last += kWorkgroup * stride * 2u) {
      let left = sums[slot(last - stride)];
      sums[slot(last - stride)] = sums[slot(last)];
      sums[slot(last)] += left;
    }
  }
  workgroupBarrier();  // the beginnings of all are there
  for (var index = lane; index < count; index += kWorkgroup) { totals[index] = sums[slot(index)]; }
}

// One lane an item, in the workgroups of rank_chunk: each to its place.
@compute @workgroup_size(kWorkgroup)
fn move_items(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u) {
  let begin = group.x * kChunk;
  for (var place = lane; place < kChunk; place += kWorkgroup) {
    let index = begin + place;
    if (index < round.count) {
      let key = keys_src[index];
      let to = totals[digit_of(key) * round.row + group.x] + ranks[index];
      keys_dst[to] = key;
      ids_dst[to] = ids_src[index];
    }
  }
}
