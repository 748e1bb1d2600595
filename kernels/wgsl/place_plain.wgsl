// An invocation's place in its workgroup: here its local index.
struct Entry {
  @builtin(local_invocation_index) local_index: u32,
}

var<private> place: u32;

fn take_place(entry: Entry) {
  place = entry.local_index;
}

// The index in the tile of this invocation's j-th item: neighbours hold neighbours.
fn item_of(j: u32) -> u32 {
  return j * WORKGROUP + place;
}

var<workgroup> scan_sums: array<u32, WORKGROUP>;

// vec2(sum of what lower places gave, sum over the workgroup). Hillis and Steele (1986).
fn workgroup_scan(value: u32) -> vec2<u32> {
  scan_sums[place] = value;
  workgroupBarrier();
  for (var stride = 1u; stride < WORKGROUP; stride <<= 1u) {
    var below = 0u;
    if (place >= stride) {
      below = scan_sums[place - stride];
    }
    workgroupBarrier();  // all have read before any writes
    scan_sums[place] += below;
    workgroupBarrier();
  }
  let sums = vec2<u32>(scan_sums[place] - value, scan_sums[WORKGROUP - 1u]);
  workgroupBarrier();  // scan_sums may be used again
  return sums;
}
