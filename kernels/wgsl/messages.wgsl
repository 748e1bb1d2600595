// What the workgroups of a single pass tell each other: of each tile and digit one word, two bits that say what it is above
// thirty of a count. WGSL has relaxed atomics alone, so nothing may be told in two words. 0: nothing yet; ready: how many
// the tile has; done: how many it and all tiles before it have.
// They stand behind control's own words, twice: a pass reads the one half and wipes the other for the next.

// Where the messages of the nth pass that runs begin.
fn messages_of(course: Course, nth: u32) -> u32 {
  return step.control_words + (nth & 1u) * ((course.count + TILE - 1u) / TILE) * RADIX;
}

fn wipe_messages(messages: u32, tile: u32) {
  for (var digit = place; digit < RADIX; digit += WORKGROUP) {
    atomicStore(&control[messages + tile * RADIX + digit], 0u);
  }
}
