// What top-k's search knows of the last key to be kept, digit by digit from the highest: the bits of it that are found,
// how many keys are less in those, and how many have the same. The first k are all of the former and some of the
// latter.
struct Choice {
  prefix: vec2<u32>,  // low word, high word
  mask: vec2<u32>,    // which bits of the mapped key the prefix has
  less: u32,
  inside: u32,
}

var<workgroup> the_choice: Choice;

// Nothing more is looked for once the keys that are not out of the question can be sorted as they are.
fn fits(choice: Choice) -> bool {
  return choice.less + choice.inside <= step.room;
}

// How many keys go to the sort. Where they do not fit all bits were looked at: those inside are equal, and the first of
// them that make up k are taken.
fn kept_of(choice: Choice) -> u32 {
  return select(step.kept, choice.less + choice.inside, fits(choice));
}

// Where the choice of a probe stands; the next one reads it while it writes the other.
fn choice_at(pass_index: u32) -> u32 {
  return CONTROL_CHOICES + (pass_index & 1u) * CHOICE_WORDS;
}

fn load_choice(pass_index: u32) -> Choice {
  let at = choice_at(pass_index);
  return Choice(vec2<u32>(atomicLoad(&control[at + CHOICE_PREFIX_LO]), atomicLoad(&control[at + CHOICE_PREFIX_HI])),
                vec2<u32>(atomicLoad(&control[at + CHOICE_MASK_LO]), atomicLoad(&control[at + CHOICE_MASK_HI])),
                atomicLoad(&control[at + CHOICE_LESS]), atomicLoad(&control[at + CHOICE_INSIDE]));
}

fn store_choice(pass_index: u32, choice: Choice) {
  let at = choice_at(pass_index);
  atomicStore(&control[at + CHOICE_PREFIX_LO], choice.prefix.x);
  atomicStore(&control[at + CHOICE_PREFIX_HI], choice.prefix.y);
  atomicStore(&control[at + CHOICE_MASK_LO], choice.mask.x);
  atomicStore(&control[at + CHOICE_MASK_HI], choice.mask.y);
  atomicStore(&control[at + CHOICE_LESS], choice.less);
  atomicStore(&control[at + CHOICE_INSIDE], choice.inside);
}

// Where counts has how many keys of a group are less than the choice, and how many are inside it.
fn less_of(group: u32) -> u32 {
  return RADIX * step.max_groups + group;
}
fn inside_of(group: u32) -> u32 {
  return (RADIX + 1u) * step.max_groups + group;
}
