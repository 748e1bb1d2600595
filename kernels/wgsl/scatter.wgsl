// scatter: each workgroup takes its tiles in turn, sorts each by the digit in workgroup memory and writes it out, digit
// by digit, behind what the groups before it and its own earlier tiles put there.
@compute @workgroup_size(WORKGROUP)
fn scatter(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>,
           entry: Entry) {
  take_place(entry);
  let course = take_course(entry.local_index);
  if (course.runs == 0u) {
    return;
  }
  for (var group = workgroup.x; group < course.groups; group += workgroups.x) {
    let tiles = tiles_of(course, group);
    let side = side_read(course, flag(FLAG_KEYS_IN_PLACE));
    load_keys(tiles.x * TILE, side);
    find_bases(group, course.groups);
    for (var tile = tiles.x; tile < tiles.y; tile++) {
      let begin = tile * TILE;
      let valid = min(course.count - begin, TILE);
      take_digits(valid);
      if (VALUE_WORDS != 0u) {
        load_values(begin, course);
      }
      rank_keys();
      find_shifts();
      stage_keys();
      if (tile + 1u < tiles.y) {
        load_keys(begin + TILE, side);  // on their way while these are written out
      }
      scatter_keys(valid, course);
      if (VALUE_WORDS != 0u) {
        stage_values();
        scatter_values(valid, course);
      }
    }
  }
}

// Sums of the digits' totals, plus what the groups before have of each.
fn find_bases(group: u32, groups: u32) {
  var totals: array<u32, OWN>;
  var sum = 0u;
  for (var e = 0u; e < OWN; e++) {
    let digit = min(place * OWN + e, RADIX - 1u);
    bases[e] = counts[digit * groups + group];
    totals[e] = select(0u, atomicLoad(&control[CONTROL_TOTALS + digit]), place * OWN + e < RADIX);
    sum += totals[e];
  }
  var start = workgroup_scan(sum).x;
  for (var e = 0u; e < OWN; e++) {
    bases[e] += start;
    start += totals[e];
  }
}
