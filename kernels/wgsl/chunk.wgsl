// A chunk: tiles of one long segment, in a row, of which the last may not be full. One workgroup takes it; a segment's
// chunks stand together, so that a scan over all chunks is one over each segment's, but for a constant.
struct Chunk {
  begin: u32,  // items [begin, end)
  end: u32,
  segment_begin: u32,
  segment_end: u32,
  first: u32,  // chunks [first, next) are the segment's
  next: u32,
}

var<workgroup> the_chunk: Chunk;

// Called by all invocations of a workgroup, in uniform control flow.
fn take_chunk(chunk: u32, local_index: u32) -> Chunk {
  if (local_index == 0u) {
    let words = step.control_words + step.stretches + chunk * CHUNK_WORDS;
    let begin = atomicLoad(&control[words + CHUNK_BEGIN]);
    let count = atomicLoad(&control[words + CHUNK_COUNT]);
    let first = atomicLoad(&control[words + CHUNK_FIRST]);
    let length = step.chunk_tiles * TILE;
    let start = (chunk - first) * length;
    the_chunk = Chunk(begin + start, begin + min(start + length, count), begin, begin + count, first,
                      first + (count + length - 1u) / length);
  }
  return workgroupUniformLoad(&the_chunk);
}
