// No sort: reads and writes memory once, four words an invocation. What the others' traffic is measured by.
@group(0) @binding(0) var<storage, read_write> src: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> dst: array<vec4u>;
@group(1) @binding(0) var<uniform> vectors: vec4u;  // x: how many

@compute @workgroup_size(256)
fn copy(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let index = (group.y * groups.x + group.x) * 256u + lane;
  if (index < vectors.x) {
    dst[index] = src[index];
  }
}
