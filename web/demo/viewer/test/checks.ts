// What is checked of the frames on every host, by name: no Node and no vitest here, Chromium runs this file too.
import { openDevice } from "../../../test/gpu.ts";
import { Camera, type View } from "../camera.ts";
import { renderOnCpu } from "../cpu_renderer.ts";
import { FrameRenderer } from "../frame.ts";
import { sorterChoices, type SorterName } from "../sorters.ts";
import { syntheticScene } from "../synthetic.ts";
import type { Check } from "../../../test/checks.ts";

const side = 256;
const scene = syntheticScene(5000, 7);

function viewOf(yaw: number): View {
  const camera = new Camera();
  camera.frame(scene.bounds, scene.up);
  camera.orbit(yaw, 0.2);
  camera.zoom(1.3);
  return camera.view(side, side);
}

/** A frame as bytes, red, green, blue, alpha. */
export async function frameOf(device: GPUDevice, renderer: FrameRenderer, view: View): Promise<Uint8Array> {
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

// Of 255: the largest difference, and the mean one of what is drawn in either.
function difference(actual: Uint8Array, expected: Float64Array): { largest: number; mean: number } {
  let largest = 0, sum = 0, drawn = 0;
  for (let at = 0; at < actual.length; at++) {
    const wanted = 255 * expected[at]!;
    const apart = Math.abs(actual[at]! - wanted);
    largest = Math.max(largest, apart);
    sum += apart;
    if (actual[at] !== 0 || wanted > 0) drawn++;
  }
  return { largest, mean: sum / drawn };
}

// Rounding to bytes and the noise before it are up to 1 of 255, half floats' rounding and a splat's last step from
// faintest to none the rest.
const tolerance = { largest: 3, mean: 0.6 };

// The CPU's order comes frames later: the same view again, until it is there.
async function settledFrame(device: GPUDevice, renderer: FrameRenderer, view: View): Promise<Uint8Array> {
  let bytes = await frameOf(device, renderer, view);
  if (renderer.sorter?.name !== "cpu") return bytes;
  for (let sorts = 0; sorts < 2; sorts++) {
    const before = renderer.sorter.late;
    const end = Date.now() + 10_000;
    while (renderer.sorter.late === before) {
      if (Date.now() > end) throw new Error("the CPU's order did not come within 10 s");
      bytes = await frameOf(device, renderer, view);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
  return frameOf(device, renderer, view);
}

const imageCheck = (name: SorterName): Check => async (gpu) => {
  const device = await openDevice(gpu);
  const renderer = await FrameRenderer.create(device, "rgba8unorm");
  await renderer.change(scene, name);
  for (const yaw of [0, 2.1]) {
    const view = viewOf(yaw);
    const bytes = await settledFrame(device, renderer, view);
    const { largest, mean } = difference(bytes, renderOnCpu(scene, view));
    console.log(name, yaw, largest, mean);
    const told = `${name}, yaw ${yaw}: ${largest.toFixed(2)} of 255 at most, ${mean.toFixed(3)} in the mean`;
    if (name === "unsorted") {
      if (mean < 10 * tolerance.mean) throw new Error(`${told}: an order that is wrong must show`);
    } else if (largest > tolerance.largest || mean > tolerance.mean) {
      throw new Error(`${told}: the CPU's picture is another`);
    }
  }
  renderer.destroy();
  device.destroy();
};

export const viewerChecks: Record<string, Check> = Object.fromEntries(
  sorterChoices.map(({ name }) => [name === "unsorted" ? "unsorted, the picture is another" : `${name}: the picture is the CPU renderer's`, imageCheck(name)] as const));
