// project: a splat's ellipse in the image and its key, or that it is not seen. The Gaussian's covariance goes through the
// derivative of the projection at its centre (EWA: Zwicker et al. 2001), and is widened by a third of a pixel so that
// it is never thinner than one (Kerbl et al. 2023).
@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> places: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> covariances: array<f32>;
@group(0) @binding(3) var<storage, read_write> projected: array<Projected>;
@group(0) @binding(4) var<storage, read_write> depth_keys: array<u32>;  // by splat
@group(0) @binding(5) var<storage, read_write> group_counts: array<u32>;

const WIDENED = 0.3;

var<workgroup> seen_count: atomic<u32>;

fn through_covariance(at: u32, v: vec3<f32>) -> vec3<f32> {
  let xx = covariances[at];
  let xy = covariances[at + 1u];
  let xz = covariances[at + 2u];
  let yy = covariances[at + 3u];
  let yz = covariances[at + 4u];
  let zz = covariances[at + 5u];
  return vec3(dot(v, vec3(xx, xy, xz)), dot(v, vec3(xy, yy, yz)), dot(v, vec3(xz, yz, zz)));
}

// The longer axis of an ellipse with covariance a, b; b, c, from the larger of two forms of the eigenvector, which has
// no cancellation.
fn direction_of(a: f32, b: f32, c: f32, apart: f32) -> vec2<f32> {
  let half = 0.5 * abs(a - c) + apart;
  if (half < 1e-6 * (a + c)) {
    return vec2(1.0, 0.0);
  }
  return normalize(select(vec2(b, half), vec2(half, b), a >= c));
}

fn project_splat(index: u32) -> u32 {
  let place = places[index];
  let centre = vec4(bitcast<vec3<f32>>(place.xyz), 1.0);
  let depth = dot(view.z_row, centre);
  let opacity = f32(place.w >> 24u) / 255.0;
  projected[index].reach = 0.0;
  if (!(depth > view.near) || opacity <= FAINTEST) {
    return NO_KEY;
  }
  let slope = vec2(dot(view.x_row, centre), dot(view.y_row, centre)) / depth;
  let at = clamp(slope, -view.edge, view.edge);
  let scale = view.focal / depth;
  let right = scale * (view.x_row.xyz - at.x * view.z_row.xyz);
  let down = scale * (view.y_row.xyz - at.y * view.z_row.xyz);
  let spread = through_covariance(6u * index, right);
  let a = dot(spread, right) + WIDENED;
  let b = dot(spread, down);
  let c = dot(through_covariance(6u * index, down), down) + WIDENED;
  let reach = sqrt(2.0 * log(opacity / FAINTEST));
  let middle = 0.5 * view.size + view.focal * slope;
  let half = reach * sqrt(vec2(a, c));
  if (!(all(middle + half > vec2(0.0)) && all(middle - half < view.size) && a + c < 1e12)) {
    return NO_KEY;
  }
  let apart = sqrt(0.25 * (a - c) * (a - c) + b * b);
  let direction = direction_of(a, b, c, apart);
  let long = sqrt(0.5 * (a + c) + apart);
  let short = sqrt(max(0.5 * (a + c) - apart, WIDENED));
  projected[index] = Projected(middle, long * direction, short * vec2(-direction.y, direction.x), reach, place.w);
  return ~bitcast<u32>(depth);  // a positive float's bits grow with it: the farthest first
}

@compute @workgroup_size(GROUP)
fn project(@builtin(global_invocation_id) invocation: vec3<u32>, @builtin(workgroup_id) workgroup: vec3<u32>,
           @builtin(local_invocation_index) local_index: u32) {
  let index = invocation.x;
  if (index < view.count) {
    let key = project_splat(index);
    depth_keys[index] = key;
    if (key != NO_KEY) {
      atomicAdd(&seen_count, 1u);  // a sum: in any order
    }
  }
  workgroupBarrier();  // all of the group have added
  if (local_index == 0u) {
    group_counts[workgroup.x] = atomicLoad(&seen_count);
  }
}
