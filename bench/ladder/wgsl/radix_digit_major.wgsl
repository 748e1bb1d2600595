// The counts of radix_three_kernels.wgsl digit by digit: first those of digit 0 of all workgroups, then those of digit 1...
//
// Idea     In this order the place of the first key of each digit of each workgroup is the sum of all counts before its
//          own: one exclusive scan of one long row. It goes by blocks of 2048: each is scanned by a workgroup, and its sum
//          put into a row of sums, which is scanned in the same way, until a block holds a row; then the sums are added to
//          the blocks, row by row.
// Cost     The counts are read and written twice, and what the rows above take is a two thousandth. But count writes, and
//          scatter reads, 256 counts that lie `groups` words apart, a memory transaction of 32 bytes for each word of 4.
// Limits   As radix_three_kernels.wgsl.
// Source   Blelloch, "Prefix sums and their applications", 1990; in blocks as in Sengupta, Harris, Zhang and Owens, "Scan
//          primitives for GPU computing", 2007.
fn counter(digit: u32, group: u32) -> u32 { return digit * step.groups + group; }

fn place_of(digit: u32, group: u32) -> u32 { return counts[counter(digit, group)]; }

const kEach = 8u;  // counts of a lane
const kBlock = kWorkgroup * kEach;
var<workgroup> sums: array<u32, kWorkgroup>;

// The sum of what lower lanes gave; `sums` of the last lane is that of all.
fn scan_lanes(lane: u32, mine: u32) -> u32 {
  var sum = mine;
  sums[lane] = sum;
  for (var distance = 1u; distance < kWorkgroup; distance *= 2u) {
    workgroupBarrier();  // sums of `distance` lanes are there
    let other = select(0u, sums[max(lane, distance) - distance], lane >= distance);
    workgroupBarrier();  // and were read
    sum += other;
    sums[lane] = sum;
  }
  workgroupBarrier();  // the last ones too
  return sum - mine;
}

// The row of `length` words from `begin` on, block by block, and the blocks' sums into the row from `totals` on.
@compute @workgroup_size(kWorkgroup)
fn scan_blocks(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) ids: vec3u) {
  let block = folded(id, ids);
  let first = block * kBlock + lane * kEach;
  var sum = 0u;
  for (var e = 0u; e < kEach; e++) {
    if (first + e < step.length) {
      sum += counts[step.begin + first + e];
    }
  }
  var before = scan_lanes(lane, sum);
  for (var e = 0u; e < kEach; e++) {
    if (first + e < step.length) {
      let mine = counts[step.begin + first + e];
      counts[step.begin + first + e] = before;
      before += mine;
    }
  }
  if (lane == 0u && block * kBlock < step.length) {
    counts[step.totals + block] = sums[kWorkgroup - 1u];
  }
}

// What the scan of the row above says that is before each block.
@compute @workgroup_size(kWorkgroup)
fn add_totals(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) ids: vec3u) {
  let block = folded(id, ids);
  for (var place = block * kBlock + lane; place < min((block + 1u) * kBlock, step.length); place += kWorkgroup) {
    counts[step.begin + place] += counts[step.totals + block];
  }
}
