// Where a tile is put in order, and the subgroups' rows of counters: each in memory of its own.
var<workgroup> staging: array<u32, TILE>;
var<workgroup> rows: array<atomic<u32>, ROWS * RADIX>;

fn stage(p: u32, word: u32) {
  staging[p] = word;
}

fn staged(p: u32) -> u32 {
  return staging[p];
}

fn open_rows() {
}

fn row_word(i: u32) -> u32 {
  return atomicLoad(&rows[i]);
}

fn set_row_word(i: u32, count: u32) {
  atomicStore(&rows[i], count);
}

fn add_to_row(i: u32, count: u32) -> u32 {
  return atomicAdd(&rows[i], count);
}

fn close_rows() {
}
