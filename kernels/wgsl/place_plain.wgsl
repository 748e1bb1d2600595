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

var<workgroup> scan_sums: array<u32, 2u * WORKGROUP>;

// vec2(sum of what lower places gave, sum over the workgroup). Hillis and Steele (1986), from one half of scan_sums to
// the other, so that a round needs one barrier.
fn workgroup_scan(value: u32) -> vec2<u32> {
  var at = 0u;
  var sum = value;
  scan_sums[place] = sum;
  workgroupBarrier();
  for (var stride = 1u; stride < WORKGROUP; stride <<= 1u) {
    if (place >= stride) {
      sum += scan_sums[at + place - stride];
    }
    at = WORKGROUP - at;
    scan_sums[at + place] = sum;
    workgroupBarrier();
  }
  let total = scan_sums[at + WORKGROUP - 1u];
  workgroupBarrier();  // scan_sums may be used again
  return vec2<u32>(sum - value, total);
}
