// A camera that turns about a point. Its own axes are those of an image: x right, y down, z forward.

import type { Bounds } from "./scene.ts";

/** What projects splats: rows of the rotation with the shift as fourth number, and the lens. Lengths in pixels. */
export interface View {
  rows: readonly [Row, Row, Row];
  width: number;
  height: number;
  focal: number;
  /** Splats nearer than this are not drawn. */
  near: number;
}
export type Row = readonly [number, number, number, number];

const halfAngle = (25 * Math.PI) / 180;  // of the shorter side of the image
const steepest = (89 * Math.PI) / 180;

export class Camera {
  private target: [number, number, number] = [0, 0, 0];
  private distance = 1;
  private yaw = 0;
  private pitch = 0;
  private up: 1 | -1 = 1;
  private bounds: Bounds = { centre: [0, 0, 0], radius: 1 };

  /** Looks at all of a scene. */
  frame(bounds: Bounds, up: 1 | -1): void {
    this.bounds = bounds;
    this.up = up;
    this.reset();
  }

  reset(): void {
    this.target = [...this.bounds.centre];
    this.distance = (1.45 * this.bounds.radius) / Math.tan(halfAngle);
    this.yaw = 0.5;
    this.pitch = 0.35;
  }

  flip(): void {
    this.up = this.up === 1 ? -1 : 1;
  }

  /** By angles: to the right and down, as a hand moves what it holds. */
  orbit(right: number, down: number): void {
    this.yaw -= right * this.up;
    this.pitch = Math.min(steepest, Math.max(-steepest, this.pitch + down));
  }

  /** Brings the point nearer by a factor. */
  zoom(factor: number): void {
    const { radius } = this.bounds;
    this.distance = Math.min(30 * radius, Math.max(0.02 * radius, this.distance / factor));
  }

  /** By shares of the image's shorter side. */
  pan(right: number, down: number): void {
    const [x, y] = this.axes();
    const length = 2 * this.distance * Math.tan(halfAngle);
    for (let axis = 0; axis < 3; axis++) this.target[axis]! -= length * (right * x[axis]! + down * y[axis]!);
  }

  view(width: number, height: number): View {
    const [x, y, z] = this.axes();
    const eye = this.target.map((part, axis) => part - this.distance * z[axis]!);
    const row = (axis: readonly number[]): Row =>
      [axis[0]!, axis[1]!, axis[2]!, -(axis[0]! * eye[0]! + axis[1]! * eye[1]! + axis[2]! * eye[2]!)];
    return {
      rows: [row(x), row(y), row(z)], width, height,
      focal: Math.min(width, height) / 2 / Math.tan(halfAngle),
      near: 0.01 * this.bounds.radius,
    };
  }

  private axes(): [number[], number[], number[]] {
    const { yaw, pitch, up } = this;
    const z = [-Math.cos(pitch) * Math.sin(yaw), -up * Math.sin(pitch), -Math.cos(pitch) * Math.cos(yaw)];
    const flat = Math.hypot(z[0]!, z[2]!);
    const x = [(-up * z[2]!) / flat, 0, (up * z[0]!) / flat];  // z times up, at length 1
    const y = [z[1]! * x[2]! - z[2]! * x[1]!, z[2]! * x[0]! - z[0]! * x[2]!, z[0]! * x[1]! - z[1]! * x[0]!];
    return [x, y, z];
  }
}

/** Beyond this share of the image's half the projection's derivative is taken at the edge, as in EWA splatting. */
const edgeShare = 1.3;

/** The numbers of View in projection.wgsl. */
export function viewWords({ rows, width, height, focal, near }: View, count: number): ArrayBuffer {
  const words = new ArrayBuffer(80);
  const reals = new Float32Array(words);
  reals.set(rows.flat());
  reals.set([width, height, focal, near, ...edgesOf({ width, height, focal })], 12);
  new Uint32Array(words)[18] = count;
  return words;
}

export const edgesOf = ({ width, height, focal }: Pick<View, "width" | "height" | "focal">): [number, number] =>
  [(edgeShare * width) / 2 / focal, (edgeShare * height) / 2 / focal];
