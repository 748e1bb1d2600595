export const version: string = LANESORT_VERSION;

export { LanesortError } from "./errors.js";
export { query, type QueryOptions, type Requirements } from "./query.js";
export { Sorter, type SortBuffers, type SorterOptions } from "./sorter.js";
export { argsortTypedArray, sortTypedArray, topKTypedArray, type ArrayOptions, type NumberArray } from "./arrays.js";
export type { BufferRange } from "./buffers.js";
export type { Dtype, FloatOrder, Operation, SortOptions } from "./options.js";
export type { Timing } from "./timings.js";
