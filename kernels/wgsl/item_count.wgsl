// How many items: what the caller says, or the number in his buffer, but never above the bound; or what top-k's search
// kept.
fn item_count() -> u32 {
  if ((step.flags & FLAG_CHOSEN) != 0u) {
    return counts[CONTROL_KEPT];
  }
  if (request.count_on_device != 0u) {
    return min(request.bound, counts[request.count_word]);
  }
  return request.bound;
}
