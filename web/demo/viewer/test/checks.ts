// What is checked of the frames, by name, on any host.
import { equal } from "../../../test/equal.ts";
import { openDevice, readWords } from "../../../test/gpu.ts";
import type { Check } from "../../../test/checks.ts";
import type { SorterOptions } from "../../../src/index.ts";
import { Camera, type View } from "../camera.ts";
import { renderOnCpu } from "../cpu_renderer.ts";
import { FrameRenderer } from "../frame.ts";
import { random } from "../random.ts";
import { SceneBuilder, type Scene } from "../scene.ts";
import { sorterChoices, type SorterName } from "../sorters.ts";
import { syntheticScene } from "../synthetic.ts";

const side = 256;
const seed = 7;
// Of 255, each part of each pixel. Rounding to bytes, and the noise before it, are 1; the rest is half floats' rounding
// and a splat's last step, from the faintest that is drawn to none. The mean is of what either picture has drawn.
const tolerance = { largest: 5, mean: 0.75 };
// What a wrong order must differ by: the mean by five times what the right one may.
const wrong = { largest: 100, mean: 3.75 };
// Many tiles of few splats, by the kernels that test/sorting has a driver for the CPU make ready too.
const options: Partial<SorterOptions> = { limits: { workgroup: 32, items: 2, radixBits: 4, groups: 3 }, subgroups: false };

const views: Record<string, [yaw: number, zoom: number]> = { "the whole scene": [0, 1.3], "a part of it": [2.1, 4] };

function viewOf(scene: Scene, [yaw, zoom]: [number, number]): View {
  const camera = new Camera();
  camera.frame(scene.bounds, scene.up);
  camera.orbit(yaw, 0.2);
  camera.zoom(zoom);
  return camera.view(side, side);
}

/** A frame as bytes, red, green, blue, alpha. */
async function frameOf(device: GPUDevice, renderer: FrameRenderer, view: View): Promise<Uint8Array> {
  const { width, height } = view;
  const target = device.createTexture({ size: [width, height], format: "rgba8unorm", usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC });
  const reader = device.createBuffer({ size: 4 * width * height, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  renderer.encode(encoder, view, target.createView());
  encoder.copyTextureToBuffer({ texture: target }, { buffer: reader, bytesPerRow: 4 * width }, [width, height]);
  device.queue.submit([encoder.finish()]);
  renderer.submitted();
  await reader.mapAsync(GPUMapMode.READ);
  const bytes = new Uint8Array(reader.getMappedRange().slice(0));
  reader.destroy();
  target.destroy();
  return bytes;
}

// The CPU's order comes frames later: the same view again, until an order that was begun in it is there.
async function settledFrame(device: GPUDevice, renderer: FrameRenderer, view: View): Promise<Uint8Array> {
  const { sorter } = renderer;
  for (let sorts = 0; sorter?.name === "cpu" && sorts < 2; sorts++) {
    const before = sorter.late;
    const end = Date.now() + 20_000;
    while (sorter.late === before) {
      if (Date.now() > end) throw new Error("the CPU's order did not come within 20 s");
      await frameOf(device, renderer, view);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
  return frameOf(device, renderer, view);
}

function difference(actual: Uint8Array, expected: Float64Array): { largest: number; mean: number; told: string } {
  let largest = 0, sum = 0, drawn = 0;
  for (let at = 0; at < actual.length; at++) {
    const wanted = 255 * expected[at]!;
    const apart = Math.abs(actual[at]! - wanted);
    largest = Math.max(largest, apart);
    sum += apart;
    if (actual[at] !== 0 || wanted > 0) drawn++;
  }
  const mean = sum / Math.max(drawn, 1);
  return { largest, mean, told: `${largest.toFixed(2)} of 255 at most, ${mean.toFixed(3)} in the mean of ${drawn}` };
}

async function withRenderer(gpu: GPU, use: (device: GPUDevice, renderer: FrameRenderer) => Promise<void>): Promise<void> {
  const device = await openDevice(gpu);
  const errors: string[] = [];
  device.addEventListener("uncapturederror", ({ error }) => void errors.push(error.message));
  const renderer = await FrameRenderer.create(device, "rgba8unorm", options);
  await use(device, renderer);
  renderer.destroy();
  device.destroy();
  if (errors.length > 0) throw new Error(errors.join("; "));
}

const big = syntheticScene(5000, seed);

const imageCheck = (name: SorterName): Check => (gpu) => withRenderer(gpu, async (device, renderer) => {
  await renderer.change(big, name);
  const form = { singlePass: "a single pass a digit", reduceThenScan: "reduce then scan", tuned: "tiles of 64" }[name as string];
  if (form !== undefined && !renderer.sorter!.explain().includes(form)) throw new Error(`not ${form}: ${renderer.sorter!.explain()}`);
  for (const [what, place] of Object.entries(views)) {
    const view = viewOf(big, place);
    const { largest, mean, told } = difference(await settledFrame(device, renderer, view), renderOnCpu(big, view));
    console.log(`${name}, ${what}, seed ${seed}: ${told}`);
    if (name === "unsorted" ? largest < wrong.largest || mean < wrong.mean : largest > tolerance.largest || mean > tolerance.mean) {
      throw new Error(`${name}, ${what}, seed ${seed}: ${told}`);
    }
  }
  const [seen] = await readWords(device, renderer.seen!);
  if (!(seen! > 0 && seen! < big.count)) throw new Error(`${seen} of ${big.count} splats are seen in a part of the scene`);
});

// A camera that looks along z from the origin, in whose view equal z is equal depth, to the last bit.
const straight: View = { rows: [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]], width: side, height: side, focal: side, near: 0.1 };

function wall(count: number): Scene {
  const next = random(seed);
  const builder = new SceneBuilder("wall", count, 1);
  for (let index = 0; index < count; index++) {
    builder.add({
      position: [0.9 * next() - 0.45, 0.9 * next() - 0.45, 1 + (index % 3)], scale: [0.04, 0.01, 0.02], rotation: [next(), next(), next(), next()],
      colour: [next(), next(), next(), 0.3 + 0.7 * next()],
    });
  }
  return builder.finish();
}

export const viewerChecks: Record<string, Check> = {
  ...Object.fromEntries(sorterChoices.map(({ name }) => [`${name}: ${name === "unsorted" ? "another picture" : "the picture of the CPU's renderer"}`, imageCheck(name)])),

  "equal depths keep the scene's order, the same in each frame": (gpu) => withRenderer(gpu, async (device, renderer) => {
    const scene = wall(3000);
    await renderer.change(scene, "reduceThenScan");
    const first = await frameOf(device, renderer, straight);
    const { largest, mean, told } = difference(first, renderOnCpu(scene, straight));
    if (largest > tolerance.largest || mean > tolerance.mean) throw new Error(told);
    for (let frame = 1; frame < 4; frame++) equal(await frameOf(device, renderer, straight), first, `frame ${frame}`);
  }),

  "one splat, and none that is seen": (gpu) => withRenderer(gpu, async (device, renderer) => {
    const scene = wall(1);
    for (const { name } of sorterChoices) {
      await renderer.change(scene, name);
      const { largest, told } = difference(await settledFrame(device, renderer, straight), renderOnCpu(scene, straight));
      if (largest > tolerance.largest) throw new Error(`${name}: ${told}`);
      const behind: View = { ...straight, rows: [straight.rows[0], straight.rows[1], [0, 0, 1, -5]] };
      equal(await settledFrame(device, renderer, behind), new Uint8Array(4 * side * side), `${name}, behind the camera`);
    }
  }),

  "of changes at once the last one stays": (gpu) => withRenderer(gpu, async (_, renderer) => {
    const [small, other] = [wall(10), wall(20)];
    const done = await Promise.all([renderer.change(small, "reduceThenScan"), renderer.change(other, "unsorted"), renderer.change(small, "unsorted")]);
    equal(done.map(Number), [0, 0, 1], "which changes were made");
    if (renderer.scene !== small || renderer.sorter?.name !== "unsorted") throw new Error("another scene or sorter stands");
  }),
};
