// begin: one workgroup that makes control ready, whatever was in it: nothing is known yet but the count.
@compute @workgroup_size(WORKGROUP)
fn begin(@builtin(local_invocation_index) local_index: u32) {
  for (var word = local_index; word < step.control_words; word += WORKGROUP) {
    var value = 0u;
    if (word == CONTROL_COUNT || word == CONTROL_GROUPS) {
      value = item_count();
    }
    if (word == CONTROL_GROUPS) {
      value = min((value + TILE - 1u) / TILE, step.max_groups);
    }
    atomicStore(&control[word], value);
  }
}
