// segment_sums: each workgroup looks at a stretch of the segments: are offsets in order, and how many chunks do the
// long ones make?
@compute @workgroup_size(WORKGROUP)
fn segment_sums(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  place = local_index;
  let items = atomicLoad(&control[CONTROL_COUNT]);
  let stretch = stretch_at(workgroup.x);
  var chunks = 0u;
  for (var index = stretch.x + place; index < stretch.y; index += WORKGROUP) {
    if (is_broken(index)) {
      atomicStore(&control[CONTROL_BROKEN], 1u);
    }
    chunks += chunks_of(segment_at(index, items).count);
  }
  let sums = workgroup_scan(chunks);
  if (local_index == 0u) {
    atomicStore(&control[step.control_words + workgroup.x], sums.y);
  }
}
