// keep: what top-k's search did not rule out goes to where it is sorted, in the order of its places, so that ties stay
// in theirs: first the keys that are less than the choice, then those inside it, of which what is past the kept number
// stays behind. Each workgroup knows from the groups before it where its own go.
const MASK_WORDS = (TILE + 31u) / 32u;
const OWN_WORDS = (MASK_WORDS + WORKGROUP - 1u) / WORKGROUP;
var<workgroup> less_masks: array<atomic<u32>, MASK_WORDS>;  // a bit for each of the tile's items
var<workgroup> inside_masks: array<atomic<u32>, MASK_WORDS>;
var<workgroup> before_words: array<u32, MASK_WORDS>;  // of the tile's items before each word: less, and inside << 16
var<workgroup> tile_has: atomic<u32>;
var<workgroup> the_tile_has: u32;
var<private> less_at: u32;    // where the group's next such key goes
var<private> inside_at: u32;

@compute @workgroup_size(WORKGROUP)
fn keep(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>,
        @builtin(local_invocation_index) local_index: u32) {
  place = local_index;
  let course = take_course(local_index);
  if (local_index == 0u) {
    the_choice = load_choice(step.pass_index);
  }
  let choice = workgroupUniformLoad(&the_choice);
  for (var group = workgroup.x; group < course.groups; group += workgroups.x) {
    find_starts(group, choice);
    let tiles = tiles_of(course, group);
    for (var tile = tiles.x; tile < tiles.y; tile++) {
      let begin = tile * TILE;
      load_source(begin);
      order_keys();
      mark_keys(min(course.count - begin, TILE), choice);
      workgroupBarrier();  // the masks are whole
      if (place == 0u) {
        the_tile_has = atomicLoad(&tile_has);
      }
      if (workgroupUniformLoad(&the_tile_has) != 0u) {
        let counted = count_words();
        write_kept(begin, kept_of(choice));
        less_at += counted & 0xffffu;
        inside_at += counted >> 16u;
        workgroupBarrier();  // the masks were read
        clear_masks();
        workgroupBarrier();
      }
    }
  }
}

fn find_starts(group: u32, choice: Choice) {
  var sums = vec2<u32>(0u, 0u);
  for (var other = place; other < group; other += WORKGROUP) {
    sums += vec2<u32>(counts[less_of(other)], counts[inside_of(other)]);
  }
  less_at = workgroup_scan(sums.x).y;
  inside_at = choice.less + workgroup_scan(sums.y).y;
}

fn mark_keys(valid: u32, choice: Choice) {
  let open = inside_at < kept_of(choice);  // once as many as are kept were found, nothing inside is looked at
  for (var j = 0u; j < ITEMS; j++) {  // unrolled
    let ranged = key_range(keys[j]) & choice.mask;
    let less = ranged.y < choice.prefix.y || (ranged.y == choice.prefix.y && ranged.x < choice.prefix.x);
    let inside = open && all(ranged == choice.prefix);
    if (item_of(j) < valid && (less || inside)) {
      let bit = 1u << (item_of(j) & 31u);
      if (less) {
        atomicOr(&less_masks[item_of(j) >> 5u], bit);
      } else {
        atomicOr(&inside_masks[item_of(j) >> 5u], bit);
      }
      atomicStore(&tile_has, 1u);
    }
  }
}

// Both numbers of a word, the one above the other: a tile has fewer than 2^16 items.
fn word_count(word: u32) -> u32 {
  if (word >= MASK_WORDS) {
    return 0u;
  }
  return countOneBits(atomicLoad(&less_masks[word])) | (countOneBits(atomicLoad(&inside_masks[word])) << 16u);
}

// Returns both numbers of the tile.
fn count_words() -> u32 {
  var sum = 0u;
  for (var e = 0u; e < OWN_WORDS; e++) {
    sum += word_count(place * OWN_WORDS + e);
  }
  let sums = workgroup_scan(sum);
  var before = sums.x;
  for (var e = 0u; e < OWN_WORDS; e++) {
    let word = place * OWN_WORDS + e;
    if (word < MASK_WORDS) {
      before_words[word] = before;
    }
    before += word_count(word);
  }
  workgroupBarrier();
  return sums.y;
}

fn write_kept(begin: u32, kept: u32) {
  for (var j = 0u; j < ITEMS; j++) {
    let item = item_of(j);
    let word = item >> 5u;
    let bit = 1u << (item & 31u);
    let less = atomicLoad(&less_masks[word]);
    let inside = atomicLoad(&inside_masks[word]);
    if ((less & bit) != 0u) {
      write_item(begin + item, less_at + (before_words[word] & 0xffffu) + countOneBits(less & (bit - 1u)));
    } else if ((inside & bit) != 0u) {
      let spot = inside_at + (before_words[word] >> 16u) + countOneBits(inside & (bit - 1u));
      if (spot < kept) {
        write_item(begin + item, spot);
      }
    }
  }
}

fn write_item(index: u32, spot: u32) {
  keys_dst[spot] = source_key(index);
  if (VALUE_WORDS != 0u) {
    if (flag(FLAG_IOTA)) {
      values_dst[spot] = value_of_index(index);
    } else {
      values_dst[spot] = values_src[index];
    }
  }
}

fn clear_masks() {
  for (var word = place; word < MASK_WORDS; word += WORKGROUP) {
    atomicStore(&less_masks[word], 0u);
    atomicStore(&inside_masks[word], 0u);
  }
  if (place == 0u) {
    atomicStore(&tile_has, 0u);
  }
}
