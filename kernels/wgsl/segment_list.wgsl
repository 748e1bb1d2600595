// segment_list: writes down every chunk of the long segments, in their order. A segment's chunks are shared out to all
// invocations, however many they are.
var<workgroup> chunk_starts: array<u32, WORKGROUP>;  // the first chunk of the segment at each place

@compute @workgroup_size(WORKGROUP)
fn segment_list(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  place = local_index;
  let items = take_items(local_index);
  if (items == 0u) {
    return;  // begin said that there are no chunks
  }
  var before = 0u;
  for (var stretch = place; stretch < workgroup.x; stretch += WORKGROUP) {
    before += atomicLoad(&control[step.control_words + stretch]);
  }
  var next = workgroup_scan(before).y;
  let stretch = stretch_at(workgroup.x);
  for (var block = stretch.x; block < stretch.y; block += WORKGROUP) {
    var chunks = 0u;
    if (block + place < stretch.y) {
      chunks = chunks_of(segment_at(block + place, items).count);
    }
    let sums = workgroup_scan(chunks);
    chunk_starts[place] = sums.x;
    workgroupBarrier();  // starts are known; the scan of the next block stands before they are written again
    for (var chunk = place; chunk < sums.y; chunk += WORKGROUP) {
      let owner = owner_of(chunk);
      write_chunk(next + chunk, segment_at(block + owner, items), next + chunk_starts[owner]);
    }
    next += sums.y;
  }
  if (workgroup.x == step.stretches - 1u && local_index == 0u) {
    atomicStore(&control[CONTROL_GROUPS], next);
  }
}

// The last place whose chunks begin no later: those that have none begin where the next one's do.
fn owner_of(chunk: u32) -> u32 {
  var low = 0u;
  var high = WORKGROUP - 1u;
  while (low < high) {
    let middle = (low + high + 1u) / 2u;
    if (chunk_starts[middle] <= chunk) {
      low = middle;
    } else {
      high = middle - 1u;
    }
  }
  return low;
}

fn write_chunk(chunk: u32, segment: Segment, first: u32) {
  let words = step.control_words + step.stretches + chunk * CHUNK_WORDS;
  atomicStore(&control[words + CHUNK_BEGIN], segment.begin);
  atomicStore(&control[words + CHUNK_COUNT], segment.count);
  atomicStore(&control[words + CHUNK_FIRST], first);
}
