// Bitonic sort of u32 keys, every exchange through the device's memory.
//
// Idea     A network of exchanges that does not depend on the keys, so that all keys can go through it at once. Runs of
//          1, 2, 4... keys are sorted; two that lie side by side become one of twice the length: first each key is
//          exchanged with its mirror image in the pair of runs, which puts the smaller half to the left, then each half
//          is halved again, down to neighbours. A dispatch is one column of the network, an invocation one exchange.
// Cost     log n (log n + 1) / 2 columns, each a dispatch that reads and writes all keys: 325 of them and 2600 bytes a key
//          at n = 2^25, where four passes of a radix sort by reduce then scan move 48. Time O(n log^2 n), no memory
//          beside the keys.
// Limits   Not stable. One exchange an invocation, so half the next power of two of them.
// Source   Batcher, "Sorting networks and their applications", 1968; the mirrored form, in which all exchanges put the smaller
//          key to the left, as in Knuth, volume 3, exercise 5.3.4.
//
// Counts that are no power of two: a key past the end would be larger than all others, and no exchange puts a larger key
// to the left. So exchanges whose right end is past the end are left out, and nothing is padded.
struct Column {
  count: u32,     // keys
  stride: u32,    // between the two keys of an exchange; of a mirrored column the length of a run
  mirrored: u32,  // bool: the first column after the runs have doubled
}

const kWorkgroup = 256u;

@group(0) @binding(0) var<storage, read_write> keys: array<u32>;
@group(1) @binding(0) var<uniform> column: Column;

@compute @workgroup_size(kWorkgroup)
fn exchange(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u,
            @builtin(num_workgroups) groups: vec3u) {
  let index = (group.y * groups.x + group.x) * kWorkgroup + lane;
  let offset = index % column.stride;
  let begin = index / column.stride * column.stride * 2u;
  let left = begin + offset;
  let right = select(left + column.stride, begin + column.stride * 2u - 1u - offset, column.mirrored != 0u);
  if (right >= column.count) {
    return;
  }
  let a = keys[left];
  let b = keys[right];
  if (b < a) {
    keys[left] = b;
    keys[right] = a;
  }
}
