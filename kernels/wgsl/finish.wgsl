// finish: what the passes left undone. In place, an odd number of them ended in the alternate buffer; out of place, none
// at all leaves the destination empty; and an argsort of sorted keys still owes its indices. Of top-k only what is given out.
// Also the sorted count.
@compute @workgroup_size(WORKGROUP)
fn finish(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>,
          @builtin(local_invocation_index) local_index: u32) {
  let course = take_course(local_index);
  let odd = (course.pass_total & 1u) != 0u;
  let none = course.pass_total == 0u;
  let keys_back = odd && flag(FLAG_KEYS_IN_PLACE) && !flag(FLAG_ARGSORT);
  let keys_over = none && !flag(FLAG_KEYS_IN_PLACE) && !flag(FLAG_ARGSORT);
  let values_back = odd && flag(FLAG_VALUES_IN_PLACE);
  let values_over = none && !flag(FLAG_VALUES_IN_PLACE);
  let kept = min(course.count, step.kept);
  for (var index = workgroup.x * WORKGROUP + local_index; index < kept; index += workgroups.x * WORKGROUP) {
    if (keys_back) {
      keys_dst[index] = keys_alt[index];
    }
    if (keys_over) {
      keys_dst[index] = keys_src[index];
    }
    if (VALUE_WORDS != 0u && values_back) {
      values_dst[index] = values_alt[index];
    }
    if (VALUE_WORDS != 0u && values_over) {
      if (flag(FLAG_IOTA)) {
        values_dst[index] = value_of_index(index);
      } else {
        values_dst[index] = values_src[index];
      }
    }
  }
  if (workgroup.x == 0u && local_index == 0u) {
    atomicStore(&control[CONTROL_SORTED_COUNT], min(course.count - atomicLoad(&control[CONTROL_LAST_COUNT]), step.kept));
    atomicStore(&control[CONTROL_KEPT], kept);
  }
}
