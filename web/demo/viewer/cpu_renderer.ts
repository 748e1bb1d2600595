// The same picture in double precision, splat by splat: what frames are held to. Shares no code with them but the scene
// and the camera: the ellipse is inverted in place of taken apart into axes.

import { edgesOf, type View } from "./camera.ts";
import { covarianceWords, placeWords, type Scene } from "./scene.ts";

const widened = 0.3;
const faintest = 1 / 255;

interface Ellipse {
  depth: number;
  centre: [number, number];
  inverse: [number, number, number];  // of the covariance xx, xy, yy
  half: [number, number];             // of the box that holds what is seen
  colour: [number, number, number, number];
}

/** Red, green, blue, each times alpha, and alpha, from 0 to 1, row by row. */
export function renderOnCpu(scene: Scene, view: View): Float64Array {
  const ellipses: Ellipse[] = [];
  for (let index = 0; index < scene.count; index++) {
    const ellipse = project(scene, view, index);
    if (ellipse !== undefined) ellipses.push(ellipse);
  }
  ellipses.sort((a, b) => b.depth - a.depth);  // stable: of equal depth the first of the scene first
  const image = new Float64Array(4 * view.width * view.height);
  for (const ellipse of ellipses) draw(image, view, ellipse);
  return image;
}

const dot = (a: readonly number[], b: readonly number[]): number => a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]!;

function project(scene: Scene, view: View, index: number): Ellipse | undefined {
  const position = [...new Float32Array(scene.places.buffer, scene.places.byteOffset + 4 * placeWords * index, 3)];
  const packed = scene.places[index * placeWords + 3]!;
  const colour = [0, 8, 16, 24].map((shift) => ((packed >>> shift) & 255) / 255) as Ellipse["colour"];
  const [x, y, depth] = view.rows.map((row) => dot(row, position) + row[3]) as [number, number, number];
  if (depth <= view.near || colour[3] <= faintest) return undefined;
  const [xx, xy, xz, yy, yz, zz] = scene.covariances.subarray(index * covarianceWords, (index + 1) * covarianceWords) as unknown as number[];
  const covariance = [[xx!, xy!, xz!], [xy!, yy!, yz!], [xz!, yz!, zz!]];
  const [mostX, mostY] = edgesOf(view);
  const derivative = [[Math.min(mostX, Math.max(-mostX, x / depth)), 0], [Math.min(mostY, Math.max(-mostY, y / depth)), 1]]
    .map(([slope, axis]) => [0, 1, 2].map((i) => (view.focal / depth) * (view.rows[axis!]![i]! - slope! * view.rows[2][i]!)));
  const through = derivative.map((row) => covariance.map((column) => dot(row, column)));
  const a = dot(through[0]!, derivative[0]!) + widened;
  const b = dot(through[0]!, derivative[1]!);
  const c = dot(through[1]!, derivative[1]!) + widened;
  const determinant = a * c - b * b;
  const reach = Math.sqrt(2 * Math.log(colour[3] / faintest));
  return {
    depth, colour,
    centre: [view.width / 2 + (view.focal * x) / depth, view.height / 2 + (view.focal * y) / depth],
    inverse: [c / determinant, -b / determinant, a / determinant],
    half: [reach * Math.sqrt(a), reach * Math.sqrt(c)],
  };
}

function draw(image: Float64Array, { width, height }: View, { centre, half, inverse, colour }: Ellipse): void {
  const range = (axis: 0 | 1, most: number): [number, number] =>
    [Math.max(0, Math.floor(centre[axis] - half[axis])), Math.min(most, Math.ceil(centre[axis] + half[axis]))];
  const [left, right] = range(0, width);
  const [top, bottom] = range(1, height);
  for (let row = top; row < bottom; row++) {
    for (let column = left; column < right; column++) {
      const dx = column + 0.5 - centre[0], dy = row + 0.5 - centre[1];
      const power = inverse[0] * dx * dx + 2 * inverse[1] * dx * dy + inverse[2] * dy * dy;
      const cover = Math.min(0.99, colour[3] * Math.exp(-0.5 * power));
      if (cover < faintest) continue;
      const at = 4 * (row * width + column);
      for (let part = 0; part < 4; part++) image[at + part] = image[at + part]! * (1 - cover) + cover * (part === 3 ? 1 : colour[part]!);
    }
  }
}
