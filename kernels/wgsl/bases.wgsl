// Where a workgroup's items go on, digit by digit, from tile to tile.
var<private> bases: array<u32, OWN>;  // where the group's next item of digit place * OWN + e goes

fn find_shifts() {
  for (var e = 0u; e < OWN; e++) {
    let digit = place * OWN + e;
    if (digit < RADIX) {
      shifts[digit] = bases[e] - own_starts[e];
    }
    bases[e] += own_counts[e];
  }
}
