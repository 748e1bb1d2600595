// small: one workgroup sorts up to a tile by itself. What goes round is the mapped key and the index it came from; the
// keys and values themselves are fetched once, at the end, and written when all have been fetched.
var<private> mapped: array<Key, ITEMS>;
var<private> origins: array<u32, ITEMS>;  // count or more: padding, which ranks last in every pass
var<workgroup> varying_lo: atomic<u32>;
var<workgroup> varying_hi: atomic<u32>;
var<workgroup> last_count: atomic<u32>;
var<workgroup> the_count: u32;
var<workgroup> the_varying: vec2<u32>;

@compute @workgroup_size(WORKGROUP)
fn small(entry: Entry) {
  take_place(entry);
  if (entry.local_index == 0u) {
    the_count = item_count();
  }
  let count = workgroupUniformLoad(&the_count);
  if (count == 0u) {
    report(entry.local_index, 0u);
    return;
  }
  load_mapped(count);
  workgroupBarrier();
  if (entry.local_index == 0u) {
    the_varying = vec2<u32>(atomicLoad(&varying_lo), atomicLoad(&varying_hi));
  }
  let differing = workgroupUniformLoad(&the_varying);
  for (var shift = step.bit_begin; shift < step.bit_begin + step.pass_count * RADIX_BITS; shift += RADIX_BITS) {
    if (bits_at(differing, shift) != 0u) {
      sort_by_digit(shift, count);
    }
  }
  write_out(count);
  report(entry.local_index, count);
}

fn source_key(index: u32) -> Key {
  if (flag(FLAG_KEYS_IN_PLACE)) {
    return keys_dst[index];
  }
  return keys_src[index];
}

fn load_mapped(count: u32) {
  let range = vec2<u32>(step.range_lo, step.range_hi);
  let reference = key_range(key_order(source_key(0u)));
  var differing = vec2<u32>(0u, 0u);
  var last = 0u;
  for (var j = 0u; j < ITEMS; j++) {  // unrolled
    origins[j] = item_of(j);
    mapped[j] = key_order(source_key(min(origins[j], count - 1u)));
    let ranged = key_range(mapped[j]);
    differing |= select(vec2<u32>(0u, 0u), ranged ^ reference, origins[j] < count);
    last += select(0u, 1u, origins[j] < count && all(ranged == range));
  }
  atomicOr(&varying_lo, differing.x);
  atomicOr(&varying_hi, differing.y);
  atomicAdd(&last_count, last);
}

fn sort_by_digit(shift: u32, count: u32) {
  for (var j = 0u; j < ITEMS; j++) {  // unrolled
    digits[j] = select(RADIX - 1u, bits_at(key_range(mapped[j]), shift), origins[j] < count);
  }
  rank_keys();
  var words: array<array<u32, ITEMS>, KEY_WORDS>;
  for (var word = 0u; word < KEY_WORDS; word++) {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      stage(ranks[j], key_word(mapped[j], word));
    }
    workgroupBarrier();
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      words[word][j] = staged(item_of(j));
    }
    workgroupBarrier();
  }
  for (var j = 0u; j < ITEMS; j++) {  // unrolled
    mapped[j] = key_of_words(words[0][j], words[KEY_WORDS - 1u][j]);
    stage(ranks[j], origins[j]);
  }
  workgroupBarrier();
  for (var j = 0u; j < ITEMS; j++) {  // unrolled
    origins[j] = staged(item_of(j));
  }
  workgroupBarrier();
}

fn source_value(index: u32) -> Value {
  if (flag(FLAG_IOTA)) {
    return value_of_index(index);
  }
  if (flag(FLAG_VALUES_IN_PLACE)) {
    return values_dst[index];
  }
  return values_src[index];
}

fn write_out(count: u32) {
  var keys: array<Key, ITEMS>;
  var values: array<Value, ITEMS>;
  for (var j = 0u; j < ITEMS; j++) {  // unrolled
    let origin = min(origins[j], count - 1u);
    keys[j] = source_key(origin);
    if (VALUE_WORDS != 0u) {
      values[j] = source_value(origin);
    }
  }
  storageBarrier();  // in place: all are fetched before any is written
  for (var j = 0u; j < ITEMS; j++) {  // unrolled
    if (item_of(j) < min(count, step.kept)) {
      if (!flag(FLAG_ARGSORT)) {
        keys_dst[item_of(j)] = keys[j];
      }
      if (VALUE_WORDS != 0u) {
        values_dst[item_of(j)] = values[j];
      }
    }
  }
}

fn report(local_index: u32, count: u32) {
  if (local_index == 0u) {
    atomicStore(&control[CONTROL_COUNT], count);
    atomicStore(&control[CONTROL_LAST_COUNT], atomicLoad(&last_count));
    atomicStore(&control[CONTROL_SORTED_COUNT], min(count - atomicLoad(&last_count), step.kept));
    atomicStore(&control[CONTROL_KEPT], min(count, step.kept));
  }
}
