// segment_pack: pack, from here to there: items that stand in no segment keep what they have there.
@compute @workgroup_size(WORKGROUP)
fn segment_pack(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>,
                @builtin(local_invocation_index) local_index: u32) {
  let items = take_items(local_index);
  let per_word = 32u / step.narrow_bits;
  let mask = (1u << step.narrow_bits) - 1u;
  let words = (items + per_word - 1u) / per_word;
  for (var word = workgroup.x * WORKGROUP + local_index; word < words; word += workgroups.x * WORKGROUP) {
    var packed = keys_dst[word];
    for (var k = 0u; k < per_word; k++) {
      let index = word * per_word + k;
      if (index < items && is_in_segment(index, items)) {
        let shift = k * step.narrow_bits;
        packed = (packed & ~(mask << shift)) | (keys_alt[index] << shift);
      }
    }
    keys_dst[word] = packed;
  }
}

// Of those that begin no later, the last one alone can reach so far.
fn is_in_segment(index: u32, items: u32) -> bool {
  var low = 0u;
  var high = request.segment_count;
  while (low < high) {
    let middle = low + (high - low) / 2u;
    if (segment_begins[middle] <= index) {
      low = middle + 1u;
    } else {
      high = middle;
    }
  }
  if (low == 0u) {
    return false;
  }
  let segment = segment_at(low - 1u, items);
  return index < segment.begin + segment.count;
}
