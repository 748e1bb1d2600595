// Where a tile is put in order, and before that the subgroups' rows of counters, in the same memory: little memory lets a
// device run more workgroups at once. Not atomic: with atomic words a version of NVIDIA's driver (580) gave wrong orders
// in some shapes.
var<workgroup> words: array<u32, max(TILE, ROWS * RADIX)>;

fn stage(p: u32, word: u32) {
  words[p] = word;
}

fn staged(p: u32) -> u32 {
  return words[p];
}

fn open_rows() {
  workgroupBarrier();  // all that was staged is read
}

fn row_word(i: u32) -> u32 {
  return words[i];
}

fn set_row_word(i: u32, count: u32) {
  words[i] = count;
}

fn add_to_row(i: u32, count: u32) -> u32 {
  let given = words[i];
  words[i] = given + count;
  return given;
}

fn close_rows() {
  workgroupBarrier();  // all rows are read
}
