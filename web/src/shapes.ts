// Twin of src/tune/portable_shapes.hpp, portable_segments.hpp and portable_top_k.hpp, held to them by the plans in
// tests/data/plans.

import { limit } from "./contract.js";

export interface Shape {
  workgroup: number;    // invocations
  items: number;        // of one invocation in a tile
  radixBits: number;    // of a digit: 8 or 4
  rows: number;         // subgroups that a workgroup may hold; 0: ranked without subgroups
  subgroupMax: number;
}

const shape = (workgroup: number, items: number, radixBits: number): Shape => ({ workgroup, items, radixBits, rows: 0, subgroupMax: 0 });

export const tileOf = (s: Shape): number => s.workgroup * s.items;
export const radixOf = (s: Shape): number => 1 << s.radixBits;

const scatteringWords = (s: Shape): number =>
  tileOf(s) + (s.rows !== 0 ? (1 + s.rows) * radixOf(s) + s.rows : 10 * s.workgroup + 3 * radixOf(s));

// The most workgroup memory that any kernel of this shape asks for.
export const sharedBytesOf = (s: Shape): number => 4 * (Math.max(scatteringWords(s), 4 * radixOf(s)) + 16);

// The same with segments, where the sort of short ones has their starts and not the table of where digits go on.
export const segmentsBytesOf = (s: Shape): number =>
  Math.max(sharedBytesOf(s), 4 * (scatteringWords(s) - radixOf(s) + limit.blockSegments + 1 + 16));

// The same with a single pass: sweep has one more table by digit, tally counts all digits.
export const singlePassBytesOf = (s: Shape): number =>
  Math.max(sharedBytesOf(s) + 4 * radixOf(s), 4 * ((64 / s.radixBits) * radixOf(s) + 16));

export const subgroupShapes: readonly Shape[] = [
  shape(512, 12, 8), shape(256, 16, 8), shape(256, 8, 8), shape(128, 16, 8), shape(128, 8, 8), shape(64, 8, 8),
  shape(256, 8, 4), shape(128, 8, 4), shape(64, 8, 4),
];
export const plainShapes: readonly Shape[] = [shape(256, 15, 8), shape(256, 12, 8), shape(128, 14, 8), shape(64, 14, 8), shape(64, 8, 4)];
// Devices of which more is known, and what is best there for counts above a tile and up to so many, and for more where half
// the passes read keys alone.
export const known = {
  lanes: 32, workgroupBytes: 49152, middleItems: 2097152, middle: shape(512, 8, 8), light: shape(256, 14, 8), lightGroups: 264,
} as const;
// Up to so many items, on such devices; tiles no smaller, so many looks at a message.
export const singlePass = { items: known.middleItems, tile: 2048, looks: 32 } as const;
export const smallWorkgroup = 512;

const [fewGroups, tilesOfGroup] = [256, 4];
// Of segments: most tiles of a chunk, workgroups that look for chunks and segments that one looks at, workgroups that take chunks.
const tilesOfChunk = 8;
export const segmentShares = { stretches: 256, stretchSegments: 1024, chunkGroups: 2048 } as const;
export const chunkTilesFor = (tiles: number, groups: number): number =>
  Math.min(Math.max(Math.floor(tiles / (groups !== 0 ? groups : fewGroups)), 1), tilesOfChunk);
export const blockSegmentsFor = (tile: number, items: number, segments: number): number =>
  Math.min(Math.max(Math.floor((4 * tile * segments + items - 1) / items), 1), limit.blockSegments);
export const mostGroups = 512;
export const groupsFor = (tiles: number, s: Shape): number => {
  const most = s.workgroup === known.light.workgroup && s.items === known.light.items ? known.lightGroups : mostGroups;
  return Math.min(tiles, Math.max(fewGroups, Math.min(most, Math.floor(tiles / tilesOfGroup))));
};

// When top-k sorts everything, and how many items it keeps for its sort where it does not.
export const topKSortsAll = (count: number, kept: number): boolean => kept > count - Math.floor(count / 4);
export const topKRoom = (count: number, kept: number, tile: number): number =>
  kept <= Math.floor(tile / 2) ? tile : Math.min(count, Math.max(tile, kept + Math.floor(count / 16)));
