// What a dispatch has to do, worked out on the device from what the first count saw: passes whose digit is the same
// for all keys are left out, and keys that were sorted already are only moved.
// Every workgroup works it out for itself from the same words of control, so that nothing waits for anything.
struct Course {
  count: u32,
  groups: u32,      // workgroups that share the tiles
  runs: u32,        // does this pass run?
  nth: u32,         // how many passes ran before it
  pass_total: u32,  // how many run in all
}

var<workgroup> the_course: Course;

// The digit from bit `shift` up; of a key, of what the bit range looks at.
fn bits_at(ranged: vec2<u32>, shift: u32) -> u32 {
  if (shift >= 32u) {
    return (ranged.y >> (shift - 32u)) & (RADIX - 1u);
  }
  return ((ranged.x >> shift) | ((ranged.y << 1u) << (31u - shift))) & (RADIX - 1u);
}

// Does pass `index` look at a bit that differs between keys?
fn pass_varies(index: u32, differing: vec2<u32>) -> bool {
  return bits_at(differing, step.bit_begin + index * RADIX_BITS) != 0u;
}

// Called by all invocations of a workgroup, in uniform control flow.
fn take_course(local_index: u32) -> Course {
  if (local_index == 0u) {
    var course = Course(atomicLoad(&control[CONTROL_COUNT]), atomicLoad(&control[CONTROL_GROUPS]), 0u, 0u, 0u);
    if (atomicLoad(&control[CONTROL_UNSORTED]) != 0u) {
      let differing = vec2<u32>(atomicLoad(&control[CONTROL_VARYING_LO]), atomicLoad(&control[CONTROL_VARYING_HI]));
      for (var index = 0u; index < step.pass_count; index++) {
        if (pass_varies(index, differing)) {
          course.nth += select(0u, 1u, index < step.pass_index);
          course.runs |= select(0u, 1u, index == step.pass_index);
          course.pass_total++;
        }
      }
    }
    the_course = course;
  }
  return workgroupUniformLoad(&the_course);
}

// In place the first pass leaves for the alternate buffer and an odd number of passes ends there; else the sides are
// counted back from the last pass, which writes the destination.
fn side_written(course: Course, nth: u32, in_place: bool) -> u32 {
  let steps = select(course.pass_total - 1u - nth, nth + 1u, in_place);
  return select(SIDE_ALT, SIDE_DST, (steps & 1u) == 0u);
}

fn side_read(course: Course, in_place: bool) -> u32 {
  if (course.nth == 0u) {
    return select(SIDE_SRC, SIDE_DST, in_place);
  }
  return side_written(course, course.nth - 1u, in_place);
}

fn flag(bit: u32) -> bool {
  return (step.flags & bit) != 0u;
}

// The tiles [x, y) of workgroup `group`.
fn tiles_of(course: Course, group: u32) -> vec2<u32> {
  let tiles = (course.count + TILE - 1u) / TILE;
  let share = (tiles + course.groups - 1u) / course.groups;
  return vec2<u32>(min(group * share, tiles), min((group + 1u) * share, tiles));
}
