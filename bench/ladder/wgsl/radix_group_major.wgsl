// The counts of radix_three_kernels.wgsl histogram by histogram: the 256 counts of workgroup 0, then those of workgroup 1...
//
// Idea     In this order a workgroup writes and reads its histogram in whole cache lines, and the scan adds whole
//          histograms, a lane a digit. It goes up a tree and down again: on the way up every second histogram takes in the
//          one before it, then every fourth the one two before, and so on, until the last of each power of two of them
//          holds the sum of that many; on the way down the ones between get what is before them. Then each histogram holds
//          the sum of all up to itself, the last one what each digit has in all, whose scan says where digits begin.
// Cost     Some 2 log2(groups) dispatches; each of groups - 1 histograms is added to once up and at most once down, which
//          reads two and writes one: up to 6 KiB a histogram. Near the root a dispatch has few workgroups, and waits.
// Limits   As radix_three_kernels.wgsl; the tree needs no power of two, and nothing is padded.
// Source   Blelloch, "Prefix sums and their applications", 1990, with the way down of Brent and Kung, "A regular layout for
//          parallel adders", 1982, which gives inclusive sums in place.
fn counter(digit: u32, group: u32) -> u32 { return group * kBins + digit; }

// Behind the histograms stands where digits begin.
fn place_of(digit: u32, group: u32) -> u32 {
  let begin = counts[counter(digit, step.groups)];
  if (group == 0u) {
    return begin;
  }
  return begin + counts[counter(digit, group - 1u)];
}

// To histogram `to`, where there is one, the one `distance` before it.
fn add_histogram(lane: u32, to: u32, distance: u32) {
  if (to < step.groups) {
    counts[counter(lane, to)] += counts[counter(lane, to - distance)];
  }
}

// Up: sums of `length` histograms become sums of twice as many.
@compute @workgroup_size(kWorkgroup)
fn sweep_up(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) ids: vec3u) {
  add_histogram(lane, (folded(id, ids) + 1u) * 2u * step.length - 1u, step.length);
}

// Down: histograms that are `length` behind a whole sum get it.
@compute @workgroup_size(kWorkgroup)
fn sweep_down(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) ids: vec3u) {
  add_histogram(lane, (folded(id, ids) + 1u) * 2u * step.length - 1u + step.length, step.length);
}

var<workgroup> sums: array<u32, kBins>;

// One workgroup: where each digit begins.
@compute @workgroup_size(kWorkgroup)
fn find_begins(@builtin(local_invocation_index) lane: u32) {
  let mine = counts[counter(lane, step.groups - 1u)];
  var sum = mine;
  sums[lane] = sum;
  for (var distance = 1u; distance < kBins; distance *= 2u) {
    workgroupBarrier();  // sums of `distance` digits are there
    let other = select(0u, sums[max(lane, distance) - distance], lane >= distance);
    workgroupBarrier();  // and were read
    sum += other;
    sums[lane] = sum;
  }
  counts[counter(lane, step.groups)] = sum - mine;
}
