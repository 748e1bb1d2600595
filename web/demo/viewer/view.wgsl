// What the kernels share. The host writes View in camera.ts.
struct View {
  x_row: vec4<f32>,  // of the rotation, and the shift
  y_row: vec4<f32>,
  z_row: vec4<f32>,
  size: vec2<f32>,   // of the image, pixels
  focal: f32,        // pixels
  near: f32,
  edge: vec2<f32>,   // of x / z and y / z, where the projection's derivative is taken at most
  count: u32,        // splats of the scene
  spare: u32,
}

// A splat in the image. Axes are standard deviations, pixels.
struct Projected {
  centre: vec2<f32>,
  major: vec2<f32>,
  minor: vec2<f32>,
  reach: f32,   // deviations that the splat is seen to; 0: not at all
  colour: u32,  // red, green, blue, opacity
}

const GROUP = 256u;
// Of an unsigned key: that of a splat that is not seen, and of no splat.
const NO_KEY = 0xffffffffu;
// What of a pixel a splat must cover to be seen there.
const FAINTEST = 1.0 / 255.0;
