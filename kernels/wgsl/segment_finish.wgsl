// segment_finish: settles the items of long segments.
@compute @workgroup_size(WORKGROUP)
fn segment_finish(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>,
                  @builtin(local_invocation_index) local_index: u32) {
  let course = take_course(local_index);
  for (var index = workgroup.x; index < course.groups; index += workgroups.x) {
    let chunk = take_chunk(index, local_index);
    let first = select(0u, chunk.segment_begin, flag(FLAG_LOCAL));
    for (var item = chunk.begin + local_index; item < chunk.end; item += WORKGROUP) {
      settle(course, item, first);
    }
  }
}
