// cut: of the sorted items, in keys_alt and values_alt, the first ones go to where the caller wants them. Narrow keys
// are pack's.
@compute @workgroup_size(WORKGROUP)
fn cut(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>,
       @builtin(local_invocation_index) local_index: u32) {
  let kept = min(atomicLoad(&control[CONTROL_COUNT]), step.kept);
  for (var index = workgroup.x * WORKGROUP + local_index; index < kept; index += workgroups.x * WORKGROUP) {
    if (!flag(FLAG_ARGSORT)) {
      keys_dst[index] = keys_alt[index];
    }
    if (VALUE_WORDS != 0u) {
      values_dst[index] = values_alt[index];
    }
  }
}
