// Segments as the offsets say them, clamped to the items that there are. Where offsets fall or segments overlap, nobody
// could sort one without another's items in his way; then there are no items.
struct Segment {
  begin: u32,
  count: u32,
}

var<workgroup> the_items: u32;

// Called by all invocations of a workgroup, in uniform control flow, when all offsets were looked at.
fn take_items(local_index: u32) -> u32 {
  if (local_index == 0u) {
    the_items = select(atomicLoad(&control[CONTROL_COUNT]), 0u, atomicLoad(&control[CONTROL_BROKEN]) != 0u);
  }
  return workgroupUniformLoad(&the_items);
}

fn end_of(index: u32) -> u32 {
  if (flag(FLAG_ENDS)) {
    return segment_ends[index];
  }
  return segment_begins[index + 1u];
}

fn segment_at(index: u32, items: u32) -> Segment {
  let begin = min(segment_begins[index], items);
  return Segment(begin, max(begin, min(end_of(index), items)) - begin);
}

fn is_broken(index: u32) -> bool {
  let begin = segment_begins[index];
  return begin > end_of(index) || (index != 0u && end_of(max(index, 1u) - 1u) > begin);
}

// Of a segment of so many items: none where it fits a tile.
fn chunks_of(count: u32) -> u32 {
  let length = step.chunk_tiles * TILE;
  return select(0u, (count + length - 1u) / length, count > TILE);
}

// The segments [x, y) of a stretch.
fn stretch_at(stretch: u32) -> vec2<u32> {
  let share = (request.segment_count + step.stretches - 1u) / step.stretches;
  return vec2<u32>(min(stretch * share, request.segment_count), min((stretch + 1u) * share, request.segment_count));
}
