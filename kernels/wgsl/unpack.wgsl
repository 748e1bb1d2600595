// unpack: keys of 8 or 16 bits, several to a word in keys_src, or in keys_dst when sorted in place, become one word each
// in keys_alt.
@compute @workgroup_size(WORKGROUP)
fn unpack(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>,
          @builtin(local_invocation_index) local_index: u32) {
  let count = atomicLoad(&control[CONTROL_COUNT]);
  let per_word = 32u / step.narrow_bits;
  let mask = (1u << step.narrow_bits) - 1u;
  for (var index = workgroup.x * WORKGROUP + local_index; index < count; index += workgroups.x * WORKGROUP) {
    let word = index / per_word;
    var packed = 0u;
    if (flag(FLAG_KEYS_IN_PLACE)) {
      packed = keys_dst[word];
    } else {
      packed = keys_src[word];
    }
    keys_alt[index] = (packed >> ((index % per_word) * step.narrow_bits)) & mask;
  }
}
