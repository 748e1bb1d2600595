// Bitonic sort of u32 keys, as many columns of the network at a time as a workgroup's memory allows.
//
// Idea     That of bitonic_global.wgsl. A column whose exchanges stay within a tile of 4096 keys need not go through the
//          device's memory: a workgroup reads the tile, runs all such columns that follow one another, and writes it back.
//          So all runs up to a tile come of one dispatch, and of each longer merge only the columns of long strides are
//          dispatches of their own.
// Cost     With t = log2(n / 4096): one dispatch for the tiles, t (t + 1) / 2 columns of long strides, t dispatches that end
//          a merge, each a read and a write of all keys: 105 and 840 bytes a key at n = 2^25, a third of bitonic_global's.
//          16 KiB of workgroup memory, what every device has.
// Limits   Not stable. The work is still O(n log^2 n); a barrier a column.
// Source   Batcher, 1968; in workgroup memory as in the bitonic samples of the CUDA and DirectX toolkits, about 2008.
struct Column {
  count: u32,     // keys
  stride: u32,    // between the two keys of an exchange; of a mirrored column the length of a run
  mirrored: u32,  // bool: the first column after the runs have doubled
}

const kWorkgroup = 256u;
const kTile = 4096u;

@group(0) @binding(0) var<storage, read_write> keys: array<u32>;
@group(1) @binding(0) var<uniform> column: Column;

// The two ends of exchange `index` of a column.
fn ends(index: u32, stride: u32, mirrored: bool) -> vec2u {
  let offset = index % stride;
  let begin = index / stride * stride * 2u;
  return vec2u(begin + offset, select(begin + offset + stride, begin + stride * 2u - 1u - offset, mirrored));
}

var<workgroup> tile: array<u32, kTile>;

// What is past the end is as large as can be, and comes to lie there again.
fn read_tile(lane: u32, begin: u32) {
  for (var place = lane; place < kTile; place += kWorkgroup) {
    var key = 0xFFFFFFFFu;
    if (begin + place < column.count) {
      key = keys[begin + place];
    }
    tile[place] = key;
  }
}

fn write_tile(lane: u32, begin: u32) {
  workgroupBarrier();  // the last column is done
  for (var place = lane; place < kTile; place += kWorkgroup) {
    if (begin + place < column.count) {
      keys[begin + place] = tile[place];
    }
  }
}

// A column in workgroup memory. The barrier is for the column before: each exchange has its two keys to itself.
fn exchange_in_tile(lane: u32, stride: u32, mirrored: bool) {
  workgroupBarrier();
  for (var index = lane; index < kTile / 2u; index += kWorkgroup) {
    let place = ends(index, stride, mirrored);
    let a = tile[place.x];
    let b = tile[place.y];
    if (b < a) {
      tile[place.x] = b;
      tile[place.y] = a;
    }
  }
}

fn halve(lane: u32, first_stride: u32) {
  for (var stride = first_stride; stride > 0u; stride /= 2u) {
    exchange_in_tile(lane, stride, false);
  }
}

// Sorts each tile.
@compute @workgroup_size(kWorkgroup)
fn sort_tile(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u,
             @builtin(num_workgroups) groups: vec3u) {
  let begin = (group.y * groups.x + group.x) * kTile;
  read_tile(lane, begin);
  for (var run = 1u; run < kTile; run *= 2u) {
    exchange_in_tile(lane, run, true);
    halve(lane, run / 2u);
  }
  write_tile(lane, begin);
}

// A column of a longer stride.
@compute @workgroup_size(kWorkgroup)
fn exchange(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u,
            @builtin(num_workgroups) groups: vec3u) {
  let place = ends((group.y * groups.x + group.x) * kWorkgroup + lane, column.stride, column.mirrored != 0u);
  if (place.y >= column.count) {
    return;
  }
  let a = keys[place.x];
  let b = keys[place.y];
  if (b < a) {
    keys[place.x] = b;
    keys[place.y] = a;
  }
}

// The columns that end a merge: those of strides below a tile.
@compute @workgroup_size(kWorkgroup)
fn merge_tile(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u,
              @builtin(num_workgroups) groups: vec3u) {
  let begin = (group.y * groups.x + group.x) * kTile;
  read_tile(lane, begin);
  halve(lane, kTile / 2u);
  write_tile(lane, begin);
}
