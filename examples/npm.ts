import { argsortTypedArray, Sorter, sortTypedArray } from "lanesort";

// An array: on the GPU where there is one, on the CPU where there is none.
const depths = Float32Array.of(2, NaN, -1);
console.log(...(await sortTypedArray(depths)), ...(await argsortTypedArray(depths, { descending: true })));  // -1 2 NaN 0 2 1

// Inside your own commands: prepared once, and every frame only recorded.
export const prepare = async (device: GPUDevice, maxCount: number) => {
  const sorter = await Sorter.create(device, { dtype: "f32", operation: "sortPairs", maxCount, descending: true });
  return (encoder: GPUCommandEncoder, keys: GPUBuffer, values: GPUBuffer) => sorter.encode(encoder, { keys, values });
};
