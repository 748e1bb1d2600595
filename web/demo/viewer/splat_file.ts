// .splat files: 32 bytes a splat and nothing else. x, y, z and three scales as f32, red, green, blue and opacity as
// bytes, then a quaternion w, x, y, z, each a byte of 128 + 128 times itself. After antimatter15/splat.

import { LanesortError } from "../../src/index.ts";
import { SceneBuilder, type Scene } from "./scene.ts";

export const splatBytes = 32;

export function parseSplatFile(name: string, bytes: ArrayBuffer, mostSplats: number): Scene {
  const length = bytes.byteLength;
  if (length === 0 || length % splatBytes !== 0) {
    throw new LanesortError({
      cause: `${name}: bytes of a .splat file, which has ${splatBytes} for each splat`, value: length,
      remedy: length === 0 ? "the file is empty, take another" : `it is cut off or of another kind, ${length % splatBytes} bytes are left over: get it again`,
    });
  }
  const count = length / splatBytes;
  checkCount(name, count, mostSplats);
  const view = new DataView(bytes);
  const builder = new SceneBuilder(name, count, -1);
  for (let at = 0; at < length; at += splatBytes) {
    const real = (word: number): number => view.getFloat32(at + 4 * word, true);
    const byte = (index: number): number => view.getUint8(at + index);
    builder.add({
      position: [real(0), real(1), real(2)],
      scale: [real(3), real(4), real(5)],
      colour: [byte(24) / 255, byte(25) / 255, byte(26) / 255, byte(27) / 255],
      rotation: [(byte(28) - 128) / 128, (byte(29) - 128) / 128, (byte(30) - 128) / 128, (byte(31) - 128) / 128],
    });
  }
  return finishFile(name, builder);
}

export function checkCount(name: string, count: number, most: number): void {
  if (count <= most) return;
  throw new LanesortError({
    cause: `${name}: splats in the file`, value: count, limit: most,
    remedy: "take a smaller scene, or a device whose storage buffers may be larger (maxStorageBufferBindingSize)",
  });
}

// A training leaves a few splats that are not numbers; a file of another kind is full of them.
export function finishFile(name: string, builder: SceneBuilder): Scene {
  const most = Math.floor(builder.added / 100);
  if (builder.leftOut > most) {
    throw new LanesortError({
      cause: `${name}: splats whose numbers no Gaussian has (infinite, not a number, a negative scale, no rotation)`,
      value: builder.leftOut, limit: most, remedy: "the file is damaged or of another kind: get it again",
    });
  }
  return builder.finish();
}
