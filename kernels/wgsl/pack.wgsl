// pack: the sorted keys, one to a word in keys_alt, go back to several to a word of keys_dst. A word that only the start
// of belongs to the keys keeps its rest.
@compute @workgroup_size(WORKGROUP)
fn pack(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>,
        @builtin(local_invocation_index) local_index: u32) {
  let count = min(atomicLoad(&control[CONTROL_COUNT]), step.kept);
  let per_word = 32u / step.narrow_bits;
  let mask = (1u << step.narrow_bits) - 1u;
  let words = (count + per_word - 1u) / per_word;
  for (var word = workgroup.x * WORKGROUP + local_index; word < words; word += workgroups.x * WORKGROUP) {
    var packed = keys_dst[word];
    for (var k = 0u; k < per_word; k++) {
      let index = word * per_word + k;
      if (index < count) {
        let shift = k * step.narrow_bits;
        packed = (packed & ~(mask << shift)) | (keys_alt[index] << shift);
      }
    }
    keys_dst[word] = packed;
  }
}
