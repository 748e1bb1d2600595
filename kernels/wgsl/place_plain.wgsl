// An invocation's place in its workgroup: here its local index.
struct Entry {
  @builtin(local_invocation_index) local_index: u32,
}

const OWN = (RADIX + WORKGROUP - 1u) / WORKGROUP;  // digits that an invocation looks after
var<private> place: u32;

fn take_place(entry: Entry) {
  place = entry.local_index;
}

// The index in the tile of this invocation's j-th item: neighbours hold neighbours.
fn item_of(j: u32) -> u32 {
  return j * WORKGROUP + place;
}

const CHUNK = min(16u, WORKGROUP);  // places whose values one invocation sums
var<workgroup> scan_sums: array<u32, WORKGROUP>;

// vec2(sum of what lower places gave, sum over the workgroup). Few barriers rather than few additions: each barrier is
// dear, to the devices as to those of their compilers that split the kernel there.
fn workgroup_scan(value: u32) -> vec2<u32> {
  scan_sums[place] = value;
  workgroupBarrier();
  if (place < WORKGROUP / CHUNK) {
    var sum = 0u;
    for (var i = place * CHUNK; i < (place + 1u) * CHUNK; i++) {
      sum += scan_sums[i];
      scan_sums[i] = sum;
    }
  }
  workgroupBarrier();
  var sums = vec2<u32>(scan_sums[place] - value, 0u);
  for (var chunk = 0u; chunk < WORKGROUP / CHUNK; chunk++) {
    let other = scan_sums[(chunk + 1u) * CHUNK - 1u];
    sums += vec2<u32>(select(0u, other, chunk < place / CHUNK), other);
  }
  workgroupBarrier();  // scan_sums may be used again
  return sums;
}
