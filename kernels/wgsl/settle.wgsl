// What the passes left undone of an item. In place, an odd number of them ended in the alternate buffer; out of place,
// none at all leaves the destination empty; and an argsort of sorted keys still owes its indices, counted from `first`.
fn settle(course: Course, index: u32, first: u32) {
  let odd = (course.pass_total & 1u) != 0u;
  let none = course.pass_total == 0u;
  if (!flag(FLAG_ARGSORT)) {
    if (odd && flag(FLAG_KEYS_IN_PLACE)) {
      keys_dst[index] = keys_alt[index];
    }
    if (none && !flag(FLAG_KEYS_IN_PLACE)) {
      keys_dst[index] = keys_src[index];
    }
  }
  if (VALUE_WORDS != 0u && odd && flag(FLAG_VALUES_IN_PLACE)) {
    values_dst[index] = values_alt[index];
  }
  if (VALUE_WORDS != 0u && none && !flag(FLAG_VALUES_IN_PLACE)) {
    if (flag(FLAG_IOTA)) {
      values_dst[index] = value_of_index(index - first);
    } else {
      values_dst[index] = values_src[index];
    }
  }
}
