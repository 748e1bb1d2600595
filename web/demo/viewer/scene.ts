// Gaussians as the GPU reads them. A scene is made by its builder alone, so that what is in it is finite.

/** Words of a splat in `places`: x, y, z as f32, then red, green, blue and opacity as bytes. */
export const placeWords = 4;
/** f32 of a splat in `covariances`: xx, xy, xz, yy, yz, zz. */
export const covarianceWords = 6;

export interface Scene {
  readonly name: string;
  readonly count: number;
  readonly places: Uint32Array<ArrayBuffer>;
  readonly covariances: Float32Array<ArrayBuffer>;
  /** Which way along y is up: trained scenes have y down, as cameras have. */
  readonly up: 1 | -1;
  /** Splats of the file that had numbers no Gaussian has. */
  readonly leftOut: number;
  readonly bounds: Bounds;
}

/** Where most splats are: what a camera should look at. */
export interface Bounds {
  readonly centre: readonly [number, number, number];
  readonly radius: number;
}

export interface Splat {
  position: [number, number, number];
  /** Standard deviations along the Gaussian's own axes. */
  scale: [number, number, number];
  /** Quaternion w, x, y, z; of any length but 0. */
  rotation: [number, number, number, number];
  /** Red, green, blue and opacity from 0 to 1; what is outside is clamped. */
  colour: [number, number, number, number];
}

const byteOf = (part: number): number => Math.round(255 * Math.min(1, Math.max(0, part)));
const finite = (numbers: readonly number[]): boolean => numbers.every(Number.isFinite);

export class SceneBuilder {
  private readonly places: Uint32Array<ArrayBuffer>;
  private readonly coordinates: Float32Array<ArrayBuffer>;  // the same bytes
  private readonly covariances: Float32Array<ArrayBuffer>;
  private count = 0;
  private refused = 0;

  constructor(private readonly name: string, capacity: number, private readonly up: 1 | -1) {
    this.places = new Uint32Array(capacity * placeWords);
    this.coordinates = new Float32Array(this.places.buffer);
    this.covariances = new Float32Array(capacity * covarianceWords);
  }

  /** How many were added, and how many of them left out. */
  get added(): number { return this.count + this.refused; }
  get leftOut(): number { return this.refused; }

  add({ position, scale, rotation, colour }: Splat): void {
    const length = Math.hypot(...rotation);
    if (!finite(position) || !finite(scale) || !finite(colour) || !(length > 0) || length === Infinity || scale.some((s) => s < 0)) {
      this.refused++;
      return;
    }
    const at = this.count * placeWords;
    for (let axis = 0; axis < 3; axis++) this.coordinates[at + axis] = position[axis]!;
    const [red, green, blue, opacity] = colour;
    this.places[at + 3] = (byteOf(red) | (byteOf(green) << 8) | (byteOf(blue) << 16) | (byteOf(opacity) << 24)) >>> 0;
    this.addCovariance(scale, rotation, length);
    this.count++;
  }

  // R S S R^T, of which the upper half is kept.
  private addCovariance(scale: Splat["scale"], rotation: Splat["rotation"], length: number): void {
    const w = rotation[0] / length, x = rotation[1] / length, y = rotation[2] / length, z = rotation[3] / length;
    const a = scale[0] * scale[0], b = scale[1] * scale[1], c = scale[2] * scale[2];
    const r00 = 1 - 2 * (y * y + z * z), r01 = 2 * (x * y - w * z), r02 = 2 * (x * z + w * y);
    const r10 = 2 * (x * y + w * z), r11 = 1 - 2 * (x * x + z * z), r12 = 2 * (y * z - w * x);
    const r20 = 2 * (x * z - w * y), r21 = 2 * (y * z + w * x), r22 = 1 - 2 * (x * x + y * y);
    const at = this.count * covarianceWords;
    this.covariances[at] = a * r00 * r00 + b * r01 * r01 + c * r02 * r02;
    this.covariances[at + 1] = a * r00 * r10 + b * r01 * r11 + c * r02 * r12;
    this.covariances[at + 2] = a * r00 * r20 + b * r01 * r21 + c * r02 * r22;
    this.covariances[at + 3] = a * r10 * r10 + b * r11 * r11 + c * r12 * r12;
    this.covariances[at + 4] = a * r10 * r20 + b * r11 * r21 + c * r12 * r22;
    this.covariances[at + 5] = a * r20 * r20 + b * r21 * r21 + c * r22 * r22;
  }

  finish(): Scene {
    const places = this.places.subarray(0, this.count * placeWords);
    return {
      name: this.name, count: this.count, up: this.up, leftOut: this.refused, places,
      covariances: this.covariances.subarray(0, this.count * covarianceWords),
      bounds: boundsOf(this.coordinates, this.count),
    };
  }
}

// The middle of each coordinate and the distance that 85 of 100 stay within: trained scenes have a few splats that are
// far away. A sample suffices.
function boundsOf(coordinates: Float32Array, count: number): Bounds {
  if (count === 0) return { centre: [0, 0, 0], radius: 1 };
  const sample = Array.from({ length: Math.min(count, 10_000) }, (_, i) => Math.floor((i * count) / Math.min(count, 10_000)) * placeWords);
  const middle = (axis: number): number => sample.map((at) => coordinates[at + axis]!).sort((a, b) => a - b)[sample.length >> 1]!;
  const centre = [middle(0), middle(1), middle(2)] as const;
  const distances = sample.map((at) => Math.hypot(coordinates[at]! - centre[0], coordinates[at + 1]! - centre[1], coordinates[at + 2]! - centre[2]));
  const radius = distances.sort((a, b) => a - b)[Math.floor(0.85 * (sample.length - 1))]!;
  return { centre, radius: radius > 0 ? radius : 1 };
}
