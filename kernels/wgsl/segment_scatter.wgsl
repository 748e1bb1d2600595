// segment_scatter: scatter, of long segments: each workgroup takes the tiles of a chunk in turn.
@compute @workgroup_size(WORKGROUP)
fn segment_scatter(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>,
                   entry: Entry) {
  take_place(entry);
  let course = take_course(entry.local_index);
  if (course.runs == 0u) {
    return;
  }
  let side = side_read(course, flag(FLAG_KEYS_IN_PLACE));
  for (var index = workgroup.x; index < course.groups; index += workgroups.x) {
    let chunk = take_chunk(index, entry.local_index);
    first_index = select(0u, chunk.segment_begin, flag(FLAG_LOCAL));
    load_keys(chunk.begin, side);
    find_bases(index, chunk, course.groups);
    for (var begin = chunk.begin; begin < chunk.end; begin += TILE) {
      let valid = min(chunk.end - begin, TILE);
      take_digits(valid);
      if (VALUE_WORDS != 0u) {
        load_values(begin, course);
      }
      rank_keys();
      find_shifts();
      stage_keys();
      if (begin + TILE < chunk.end) {
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

// How many of the digit stand before the chunk, of all long segments.
fn count_before(digit: u32, chunk: u32, chunks: u32) -> u32 {
  if (chunk < chunks) {
    return counts[digit * chunks + chunk];
  }
  return atomicLoad(&control[CONTROL_TOTALS + digit]);
}

// What the segment's chunks before this one have of each digit, on top of all its lower digits, in its place.
fn find_bases(index: u32, chunk: Chunk, chunks: u32) {
  var totals: array<u32, OWN>;
  var sum = 0u;
  for (var e = 0u; e < OWN; e++) {
    let digit = min(place * OWN + e, RADIX - 1u);
    let before = count_before(digit, chunk.first, chunks);
    bases[e] = count_before(digit, index, chunks) - before;
    totals[e] = select(0u, count_before(digit, chunk.next, chunks) - before, place * OWN + e < RADIX);
    sum += totals[e];
  }
  var start = chunk.segment_begin + workgroup_scan(sum).x;
  for (var e = 0u; e < OWN; e++) {
    bases[e] += start;
    start += totals[e];
  }
}
