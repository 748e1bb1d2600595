// small: one workgroup sorts up to a tile by itself; results are written when all has been fetched. An origin is an
// index; count or more is padding, which ranks last in every pass.
var<workgroup> last_count: atomic<u32>;
var<workgroup> the_count: u32;

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
  let differing = all_varying(entry.local_index);
  for (var shift = step.bit_begin; shift < step.bit_begin + step.pass_count * RADIX_BITS; shift += RADIX_BITS) {
    if (bits_at(differing, shift) != 0u) {
      sort_by_digit(shift, count);
    }
  }
  write_out(count);
  report(entry.local_index, count);
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
  follow_ranks();
}

fn write_out(count: u32) {
  var keys: array<Key, ITEMS>;
  var values: array<Value, ITEMS>;
  for (var j = 0u; j < ITEMS; j++) {  // unrolled
    let origin = min(origins[j], count - 1u);
    keys[j] = source_key(origin);
    if (VALUE_WORDS != 0u) {
      values[j] = source_value(origin, origin);
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
