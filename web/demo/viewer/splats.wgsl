// A splat is a quad along its axes, as far as it is seen; the blend puts each over those drawn before it.
@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> projected: array<Projected>;
@group(0) @binding(2) var<storage, read> ids: array<u32>;

struct Corner {
  @builtin(position) position: vec4<f32>,
  @location(0) deviations: vec2<f32>,  // from the centre
  @location(1) @interpolate(flat) colour: vec4<f32>,
}

@vertex
fn corner(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Corner {
  let splat = projected[ids[instance]];
  let deviations = splat.reach * (2.0 * vec2(f32(vertex & 1u), f32(vertex >> 1u)) - 1.0);
  let pixel = splat.centre + deviations.x * splat.major + deviations.y * splat.minor;
  let clip = 2.0 * pixel / view.size - 1.0;
  return Corner(vec4(clip.x, -clip.y, 0.0, 1.0), deviations, unpack4x8unorm(splat.colour));
}

@fragment
fn shade(input: Corner) -> @location(0) vec4<f32> {
  let cover = min(0.99, input.colour.a * exp(-0.5 * dot(input.deviations, input.deviations)));
  if (cover < FAINTEST) {
    discard;
  }
  return vec4(input.colour.rgb * cover, cover);
}
