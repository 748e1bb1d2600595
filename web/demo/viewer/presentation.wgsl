// From the sum of all splats, in half floats, to the canvas, in bytes. The error of rounding is spread over the pixels'
// neighbourhood by a fixed pattern (interleaved gradient noise: Jimenez 2014), so that no bands are seen.
@group(0) @binding(0) var sum: texture_2d<f32>;

@vertex
fn cover(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4<f32> {
  return vec4(f32(vertex & 1u) * 4.0 - 1.0, f32(vertex >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

@fragment
fn present(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
  let colour = textureLoad(sum, vec2<u32>(position.xy), 0);
  let noise = fract(52.9829189 * fract(dot(floor(position.xy), vec2(0.06711056, 0.00583715)))) - 0.5;
  return min(colour + noise / 255.0 * step(0.5 / 255.0, colour.a), vec4(1.0));
}
