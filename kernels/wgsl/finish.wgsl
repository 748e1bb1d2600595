// finish: settles all items, of top-k those that are given out; and the sorted count.
@compute @workgroup_size(WORKGROUP)
fn finish(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>,
          @builtin(local_invocation_index) local_index: u32) {
  let course = take_course(local_index);
  let kept = min(course.count, step.kept);
  for (var index = workgroup.x * WORKGROUP + local_index; index < kept; index += workgroups.x * WORKGROUP) {
    settle(course, index, 0u);
  }
  if (workgroup.x == 0u && local_index == 0u) {
    atomicStore(&control[CONTROL_SORTED_COUNT], min(course.count - atomicLoad(&control[CONTROL_LAST_COUNT]), step.kept));
    atomicStore(&control[CONTROL_KEPT], kept);
  }
}
