// scan: workgroup d turns the counts of digit d into the sums of the groups before, in place, block after block, and
// leaves the digit's total in control.
const EACH = 4u;  // counts of one invocation in a block

@compute @workgroup_size(WORKGROUP)
fn scan(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  place = local_index;
  let course = take_course(local_index);
  if (course.runs == 0u) {
    return;
  }
  let digit = workgroup.x;
  let first = digit * course.groups;
  var carry = 0u;
  for (var begin = 0u; begin < course.groups; begin += EACH * WORKGROUP) {
    let mine = begin + place * EACH;
    var mine_counts = array<u32, EACH>();  // without a value some compilers keep the last round's
    var sum = 0u;
    for (var e = 0u; e < EACH; e++) {
      if (mine + e < course.groups) {
        mine_counts[e] = counts[first + mine + e];
      }
      sum += mine_counts[e];
    }
    let sums = workgroup_scan(sum);
    var running = carry + sums.x;
    for (var e = 0u; e < EACH; e++) {
      if (mine + e < course.groups) {
        counts[first + mine + e] = running;
        running += mine_counts[e];
      }
    }
    carry += sums.y;
  }
  if (local_index == 0u) {
    atomicStore(&control[CONTROL_TOTALS + digit], carry);
  }
}
