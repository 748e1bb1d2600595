// Where a tile is put in order, and the subgroups' rows of counters. Each has memory of its own: in the same memory, as
// atomic words or not, pairs came out wrong on an H200 (driver 580) in some shapes.
var<workgroup> staging: array<u32, TILE>;
var<workgroup> rows: array<atomic<u32>, ROWS * RADIX>;

fn stage(p: u32, word: u32) {
  staging[p] = word;
}

fn staged(p: u32) -> u32 {
  return staging[p];
}
