// sweep: a whole pass in one dispatch. Workgroups take the tiles by tickets, so whoever waits, waits for tiles that were
// taken before; each tells how many it has of each digit, and looks back over what those before told (the onesweep of
// Adinets and Merrill, 2022).
// No device promises that a workgroup that is waited for runs on. So nobody waits for long: after some looks at a message
// that is not there the workgroup counts that tile's digits itself and tells them (the decoupled fallback of Smith, Levien
// and Owens, 2025). Everybody counts the same, so it does not matter who tells it, or how often.
var<private> starts: array<u32, OWN>;     // where digit place * OWN + e begins among all keys
var<private> before: array<u32, OWN>;     // how many of it the tiles before this one have, as far as looked
var<private> looking: array<u32, OWN>;    // at the tile before this one; 0: all are found
var<workgroup> first_tile: u32;
var<workgroup> missing: atomic<u32>;      // a tile and 1, the last that somebody waits for; 0: none
var<workgroup> found: vec2<u32>;          // that, and the next tile
var<workgroup> missing_counts: array<atomic<u32>, RADIX>;

@compute @workgroup_size(WORKGROUP)
fn sweep(entry: Entry) {
  take_place(entry);
  if (entry.local_index == WORKGROUP - 1u) {
    first_tile = take_tile();  // while another one reads what the course is made of
  }
  let course = take_course(entry.local_index);
  if (course.runs == 0u) {
    return;
  }
  let tiles = (course.count + TILE - 1u) / TILE;
  let side = side_read(course, flag(FLAG_KEYS_IN_PLACE));
  let messages = messages_of(course, course.nth);
  var tile = workgroupUniformLoad(&first_tile);
  load_keys(tile * TILE, side);
  find_starts();
  while (tile < tiles) {
    let begin = tile * TILE;
    let valid = min(course.count - begin, TILE);
    take_digits(valid);
    if (VALUE_WORDS != 0u) {
      load_values(begin, course);
    }
    rank_keys();
    publish_counts(messages, tile, valid);
    wipe_messages(messages_of(course, course.nth + 1u), tile);
    stage_keys();
    let next = look_back(messages, tile, side);
    publish_sums(messages, tile, valid);
    workgroupBarrier();  // the shifts are known
    if (next < tiles) {
      load_keys(next * TILE, side);  // on their way while these are written out
    }
    scatter_keys(valid, course);
    if (VALUE_WORDS != 0u) {
      stage_values();
      scatter_values(valid, course);
    }
    tile = next;
  }
}

fn find_starts() {
  var sum = 0u;
  for (var e = 0u; e < OWN; e++) {
    let digit = min(place * OWN + e, RADIX - 1u);
    starts[e] = select(0u, atomicLoad(&control[CONTROL_TOTALS + step.pass_index * RADIX + digit]), place * OWN + e < RADIX);
    sum += starts[e];
  }
  var start = workgroup_scan(sum).x;
  for (var e = 0u; e < OWN; e++) {
    let total = starts[e];
    starts[e] = start;
    start += total;
  }
}

fn take_tile() -> u32 {
  return atomicAdd(&control[CONTROL_TICKETS + step.pass_index], 1u);
}

// Of the tile's items of a digit, those that are items.
fn real_count(e: u32, valid: u32) -> u32 {
  return own_counts[e] - select(0u, TILE - valid, place * OWN + e == RADIX - 1u);
}

// Tests and benches have every so many-th tile tell nothing.
fn tells(tile: u32) -> bool {
  return step.withheld == 0u || tile % step.withheld != step.withheld - 1u;
}

fn publish_counts(messages: u32, tile: u32, valid: u32) {
  for (var e = 0u; e < OWN; e++) {
    let digit = place * OWN + e;
    if (digit < RADIX && tells(tile)) {
      let what = select(MESSAGE_READY, MESSAGE_DONE, tile == 0u);
      atomicStore(&control[messages + tile * RADIX + digit], what | real_count(e, valid));
    }
  }
}

// Returns the tile to go on with, which is asked for here so that nobody waits for the answer.
fn look_back(messages: u32, tile: u32, side: u32) -> u32 {
  var next = 0u;
  if (place == 0u) {
    next = take_tile();
  }
  for (var e = 0u; e < OWN; e++) {
    before[e] = 0u;
    looking[e] = select(0u, tile, place * OWN + e < RADIX);
  }
  loop {
    for (var e = 0u; e < OWN; e++) {
      look(messages, e);
      if (looking[e] != 0u) {
        atomicMax(&missing, looking[e]);
      }
    }
    workgroupBarrier();  // missing is known
    if (place == 0u) {
      found = vec2<u32>(atomicExchange(&missing, 0u), next);
    }
    let gap = workgroupUniformLoad(&found);
    if (gap.x == 0u) {
      return gap.y;
    }
    count_missing(messages, gap.x - 1u, side);
  }
}

struct Back {
  tile: u32,  // one more than the tile to look at next; 0: no more
  sum: u32,
  there: bool,  // are all messages that were looked at?
}

fn back_by(back: Back, message: u32) -> Back {
  let there = back.there && message >= MESSAGE_READY;
  if (!there || back.tile == 0u) {
    return Back(back.tile, back.sum, there);
  }
  return Back(select(back.tile - 1u, 0u, message >= MESSAGE_DONE), back.sum + (message & MESSAGE_COUNT), there);
}

fn back_by_four(back: Back, seen: vec4<u32>) -> Back {
  return back_by(back_by(back_by(back_by(back, seen.x), seen.y), seen.z), seen.w);
}

// Of tile `last` and the three before it; the first tile's again where there are none.
fn four_messages(column: u32, last: u32) -> vec4<u32> {
  return vec4<u32>(atomicLoad(&control[column + last * RADIX]),
                   atomicLoad(&control[column + (max(last, 1u) - 1u) * RADIX]),
                   atomicLoad(&control[column + (max(last, 2u) - 2u) * RADIX]),
                   atomicLoad(&control[column + (max(last, 3u) - 3u) * RADIX]));
}

// As far back as messages are, eight at once: by one after the other each would wait for memory by itself, and the tiles
// that start together have many to look at.
fn look(messages: u32, e: u32) {
  let column = messages + place * OWN + e;
  var back = Back(looking[e], before[e], true);
  var looks = 0u;
  while (back.tile != 0u && looks < step.looks) {
    let last = back.tile - 1u;
    let near = four_messages(column, last);
    let far = four_messages(column, max(last, 4u) - 4u);
    back.there = true;
    back = back_by_four(back_by_four(back, near), far);
    looks = select(looks + 1u, 0u, back.tile <= last);
  }
  looking[e] = back.tile;
  before[e] = back.sum;
}

// A tile before another is full. `keys` is free: what was in it is staged.
fn count_missing(messages: u32, tile: u32, side: u32) {
  for (var digit = place; digit < RADIX; digit += WORKGROUP) {
    atomicStore(&missing_counts[digit], 0u);
  }
  workgroupBarrier();
  load_keys(tile * TILE, side);
  if (flag(FLAG_PLAIN)) {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      atomicAdd(&missing_counts[key_digit(plain_order(keys[j]))], 1u);
    }
  } else {
    for (var j = 0u; j < ITEMS; j++) {  // unrolled
      atomicAdd(&missing_counts[key_digit(key_order(keys[j]))], 1u);
    }
  }
  workgroupBarrier();
  for (var e = 0u; e < OWN; e++) {
    let digit = place * OWN + e;
    if (digit < RADIX) {
      // The larger stays: what says more stands in higher bits.
      atomicMax(&control[messages + tile * RADIX + digit], MESSAGE_READY | atomicLoad(&missing_counts[digit]));
    }
  }
}

fn publish_sums(messages: u32, tile: u32, valid: u32) {
  for (var e = 0u; e < OWN; e++) {
    let digit = place * OWN + e;
    if (digit < RADIX) {
      if (tells(tile) && tile != 0u) {
        atomicStore(&control[messages + tile * RADIX + digit], MESSAGE_DONE | (before[e] + real_count(e, valid)));
      }
      shifts[digit] = starts[e] + before[e] - own_starts[e];
    }
  }
}
