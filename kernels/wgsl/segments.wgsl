// segments: sorts those that fit a tile. A workgroup looks at a block of segments, laid end to end without gaps and
// without long ones, and takes as many of them as fill a tile: sorted by key, and then, because passes are stable, by
// segment. So lanes are busy where segments are short.
struct Pack {
  first: u32,  // the block's first segment among all
  begin: u32,  // segments [begin, end) of the block
  end: u32,
  base: u32,   // where they start in the line
  count: u32,  // their items
}

var<workgroup> starts: array<u32, LIMIT_BLOCK_SEGMENTS + 1u>;  // in the line, and its end
var<workgroup> the_pack: Pack;

const EACH_SEGMENTS = (LIMIT_BLOCK_SEGMENTS + WORKGROUP - 1u) / WORKGROUP;  // that an invocation looks at

@compute @workgroup_size(WORKGROUP)
fn segments(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>, entry: Entry) {
  take_place(entry);
  let items = take_items(entry.local_index);
  let blocks = (request.segment_count + step.block_segments - 1u) / step.block_segments;
  for (var block = workgroup.x; block < blocks; block += workgroups.x) {
    let first = block * step.block_segments;
    let here = min(request.segment_count - first, step.block_segments);
    line_up(first, here, items);
    var begin = 0u;
    while (begin < here) {
      if (entry.local_index == 0u) {
        let end = end_of_pack(begin, here);
        the_pack = Pack(first, begin, end, starts[begin], starts[end] - starts[begin]);
      }
      let pack = workgroupUniformLoad(&the_pack);
      if (pack.count != 0u) {
        sort_pack(pack, items, entry.local_index);
      }
      begin = pack.end;
    }
  }
}

// The block's lengths, those of long ones 0, become places in a line.
fn line_up(first: u32, here: u32, items: u32) {
  var lengths = array<u32, EACH_SEGMENTS>();
  var sum = 0u;
  for (var e = 0u; e < EACH_SEGMENTS; e++) {
    let segment = place * EACH_SEGMENTS + e;
    if (segment < here) {
      let count = segment_at(first + segment, items).count;
      lengths[e] = select(0u, count, count <= TILE);
    }
    sum += lengths[e];
  }
  let sums = workgroup_scan(sum);  // whoever still read the starts of the block before is past it
  var start = sums.x;
  for (var e = 0u; e < EACH_SEGMENTS; e++) {
    let segment = place * EACH_SEGMENTS + e;
    if (segment < here) {
      starts[segment] = start;
    }
    start += lengths[e];
  }
  if (place == 0u) {
    starts[here] = sums.y;
  }
  workgroupBarrier();  // starts are known
}

// As many as fit a tile, from one on: none of them is longer.
fn end_of_pack(begin: u32, here: u32) -> u32 {
  var low = begin + 1u;
  var high = here;
  while (low < high) {
    let middle = (low + high + 1u) / 2u;
    if (starts[middle] - starts[begin] <= TILE) {
      low = middle;
    } else {
      high = middle - 1u;
    }
  }
  return low;
}

// Which of the block's segments an item of the pack is in: the last that starts no later, for empty ones start where
// the next does.
fn segment_of(pack: Pack, item: u32) -> u32 {
  var low = pack.begin;
  var high = pack.end - 1u;
  while (low < high) {
    let middle = (low + high + 1u) / 2u;
    if (starts[middle] <= pack.base + item) {
      low = middle;
    } else {
      high = middle - 1u;
    }
  }
  return low;
}

// Where the item stands among all.
fn index_of(pack: Pack, item: u32, segment: u32, items: u32) -> u32 {
  return min(segment_begins[pack.first + segment], items) + (pack.base + item - starts[segment]);
}

fn sort_pack(pack: Pack, items: u32, local_index: u32) {
  load_mapped(pack, items);
  let differing = all_varying(local_index);
  // Where no pass runs they stand as they came.
  let last_segment = select(0u, pack.end - pack.begin - 1u, any(differing != vec2<u32>(0u, 0u)));
  let segment_passes = (32u - countLeadingZeros(last_segment) + RADIX_BITS - 1u) / RADIX_BITS;
  for (var pass_index = 0u; pass_index < step.pass_count + segment_passes; pass_index++) {
    let by_segment = pass_index >= step.pass_count;
    let shift = select(step.bit_begin + pass_index * RADIX_BITS,
                       SEGMENT_SHIFT + (pass_index - step.pass_count) * RADIX_BITS, by_segment);
    if (by_segment || bits_at(differing, shift) != 0u) {
      sort_by_digit(by_segment, shift, pack.count);
    }
  }
  write_out(pack, items);
}

// An origin is the item's segment, counted in the pack, above its place in the pack. Padding has none, and ranks last.
const NO_ORIGIN = 0xffffffffu;
const SEGMENT_SHIFT = 16u;

fn is_item(origin: u32, count: u32) -> bool {
  return (origin & 0xffffu) < count;
}

fn load_mapped(pack: Pack, items: u32) {
  let reference = key_range(key_order(source_key(index_of(pack, 0u, segment_of(pack, 0u), items))));
  var differing = vec2<u32>(0u, 0u);
  for (var j = 0u; j < ITEMS; j++) {  // unrolled
    let item = min(item_of(j), pack.count - 1u);
    let segment = segment_of(pack, item);
    mapped[j] = key_order(source_key(index_of(pack, item, segment, items)));
    origins[j] = select(NO_ORIGIN, ((segment - pack.begin) << SEGMENT_SHIFT) | item, item == item_of(j));
    differing |= key_range(mapped[j]) ^ reference;
  }
  atomicOr(&varying_lo, differing.x);
  atomicOr(&varying_hi, differing.y);
}

fn sort_by_digit(by_segment: bool, shift: u32, count: u32) {
  for (var j = 0u; j < ITEMS; j++) {  // unrolled
    let bits = select(key_range(mapped[j]), vec2<u32>(origins[j], 0u), by_segment);
    digits[j] = select(RADIX - 1u, bits_at(bits, shift), is_item(origins[j], count));
  }
  follow_ranks();
}

fn write_out(pack: Pack, items: u32) {
  var keys: array<Key, ITEMS>;
  var values: array<Value, ITEMS>;
  for (var j = 0u; j < ITEMS; j++) {  // unrolled
    let origin = select(0u, origins[j], is_item(origins[j], pack.count));
    let segment = pack.begin + (origin >> SEGMENT_SHIFT);
    let index = index_of(pack, origin & 0xffffu, segment, items);
    keys[j] = source_key(index);
    if (VALUE_WORDS != 0u) {
      let local = pack.base + (origin & 0xffffu) - starts[segment];
      values[j] = source_value(index, select(index, local, flag(FLAG_LOCAL)));
    }
  }
  storageBarrier();  // in place: all are fetched before any is written
  for (var j = 0u; j < ITEMS; j++) {  // unrolled
    if (item_of(j) < pack.count) {
      let index = index_of(pack, item_of(j), segment_of(pack, item_of(j)), items);
      if (!flag(FLAG_ARGSORT)) {
        keys_dst[index] = keys[j];
      }
      if (VALUE_WORDS != 0u) {
        values_dst[index] = values[j];
      }
    }
  }
}
