// Steps that many checks repeat.

/** A device with everything the adapter has, whose validation errors reach the console. */
export async function openDevice(gpu: GPU, features: readonly GPUFeatureName[] = ["subgroups", "timestamp-query"]): Promise<GPUDevice> {
  const adapter = await gpu.requestAdapter();
  if (adapter === null) throw new Error("no adapter");
  const { maxStorageBufferBindingSize, maxBufferSize, maxComputeWorkgroupStorageSize } = adapter.limits;
  const device = await adapter.requestDevice({
    requiredFeatures: features.filter((feature) => adapter.features.has(feature)),
    requiredLimits: { maxStorageBufferBindingSize, maxBufferSize, maxComputeWorkgroupStorageSize },
  });
  device.addEventListener("uncapturederror", ({ error }) => console.error(error.message));
  return device;
}

export async function readWords(device: GPUDevice, buffer: GPUBuffer): Promise<Uint32Array> {
  const reader = device.createBuffer({ size: buffer.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, reader, 0, buffer.size);
  device.queue.submit([encoder.finish()]);
  await reader.mapAsync(GPUMapMode.READ);
  const words = new Uint32Array(reader.getMappedRange().slice(0));
  reader.destroy();
  return words;
}

/** A buffer of the items, each raised by one on the device. */
export async function addOne(device: GPUDevice, items: Uint32Array<ArrayBuffer>): Promise<GPUBuffer> {
  const module = device.createShaderModule({
    code: `
      @group(0) @binding(0) var<storage, read_write> items: array<u32>;
      @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
        if (id.x < arrayLength(&items)) { items[id.x] += 1u; }
      }`,
  });
  const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module, entryPoint: "main" } });
  const buffer = device.createBuffer({ size: items.byteLength, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
  device.queue.writeBuffer(buffer, 0, items);
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: { buffer } }] }));
  pass.dispatchWorkgroups(Math.ceil(items.length / 64));
  pass.end();
  device.queue.submit([encoder.finish()]);
  return buffer;
}
