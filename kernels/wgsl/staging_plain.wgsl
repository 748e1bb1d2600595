// Where a tile is put in order: a word of each item, by its place in the sorted tile.
var<workgroup> staging: array<u32, TILE>;

fn stage(p: u32, word: u32) {
  staging[p] = word;
}

fn staged(p: u32) -> u32 {
  return staging[p];
}
