// Radix sort of u32 keys by three kernels a digit: count, scan, scatter. The scan, and with it the order in which the
// counts lie, is the other half of this program: radix_digit_major.wgsl or radix_group_major.wgsl.
//
// Idea     From the lowest byte to the highest: each workgroup counts the bytes of its keys, 256 counts a histogram; a scan
//          over all histograms turns counts into places: where the first key of each byte of each workgroup goes; each
//          workgroup puts its keys there, those of one byte in the order in which they came.
// Cost     4 passes, in each of which every key is read twice and written once: 48 bytes a key, and besides them the
//          histograms: 1 KiB a workgroup, written by count, read by scatter, and in between scanned. At 256 keys a
//          workgroup that is a count for every key, and its traffic outweighs the keys'; at 16 x 256 it is a sixteenth.
//          O(n) time; memory for the keys once more and for the histograms.
// Limits   Stable. Keys are written where they go as they come, not put in order in the workgroup first: a write is a
//          piece of a cache line. The histograms must fit one buffer.
// Source   Satish, Harris and Garland, "Designing efficient sorting algorithms for manycore GPUs", 2009; lanes with the same
//          digit found by bit masks as in the multisplit of Ashkiani et al., 2016, in workgroup memory in place of ballots.
struct Step {
  count: u32,   // keys
  groups: u32,  // workgroups of count and scatter, each with a histogram
  shift: u32,   // of the digit
  begin: u32,   // what scans are about: see there
  length: u32,
  totals: u32,
}

const kWorkgroup = 256u;
const kBins = 256u;  // one for each lane
const kMaskWords = kWorkgroup / 32u;
override kRounds: u32 = 16u;  // of 256 keys, that a workgroup has

@group(0) @binding(0) var<storage, read_write> keys_src: array<u32>;
@group(0) @binding(1) var<storage, read_write> keys_dst: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;
@group(1) @binding(0) var<uniform> step: Step;

fn digit_of(key: u32) -> u32 { return (key >> step.shift) & (kBins - 1u); }

// A dispatch has at most 65,535 workgroups in a row, and more by rows.
fn folded(group: vec3u, groups: vec3u) -> u32 { return group.y * groups.x + group.x; }

var<workgroup> histogram: array<atomic<u32>, kBins>;

@compute @workgroup_size(kWorkgroup)
fn count(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) ids: vec3u) {
  let group = folded(id, ids);
  if (group >= step.groups) {
    return;
  }
  for (var round = 0u; round < kRounds; round++) {
    let index = (group * kRounds + round) * kWorkgroup + lane;
    if (index < step.count) {
      atomicAdd(&histogram[digit_of(keys_src[index])], 1u);
    }
  }
  workgroupBarrier();  // all are counted
  counts[counter(lane, group)] = atomicLoad(&histogram[lane]);
}

var<workgroup> masks: array<atomic<u32>, kBins * kMaskWords>;  // of each digit, which lanes have it
var<workgroup> next: array<u32, kBins>;                        // of each digit, where its next key goes

// How many lanes before this one have the digit.
fn rank(digit: u32, lane: u32) -> u32 {
  var before = 0u;
  for (var word = 0u; word < lane / 32u; word++) {
    before += countOneBits(atomicLoad(&masks[digit * kMaskWords + word]));
  }
  let below = (1u << (lane % 32u)) - 1u;
  return before + countOneBits(atomicLoad(&masks[digit * kMaskWords + lane / 32u]) & below);
}

// How many lanes have digit `lane`; its mask is empty again.
fn take_mask(lane: u32) -> u32 {
  var ones = 0u;
  for (var word = 0u; word < kMaskWords; word++) {
    ones += countOneBits(atomicExchange(&masks[lane * kMaskWords + word], 0u));
  }
  return ones;
}

@compute @workgroup_size(kWorkgroup)
fn scatter(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) ids: vec3u) {
  let group = folded(id, ids);
  if (group >= step.groups) {
    return;
  }
  next[lane] = place_of(lane, group);
  for (var round = 0u; round < kRounds; round++) {
    let index = (group * kRounds + round) * kWorkgroup + lane;
    var key = 0u;
    if (index < step.count) {
      key = keys_src[index];
      atomicOr(&masks[digit_of(key) * kMaskWords + lane / 32u], 1u << (lane % 32u));
    }
    workgroupBarrier();  // the masks are whole, and so is `next`
    if (index < step.count) {
      keys_dst[next[digit_of(key)] + rank(digit_of(key), lane)] = key;
    }
    workgroupBarrier();  // all have their places
    next[lane] += take_mask(lane);
    workgroupBarrier();  // the masks are empty
  }
}
