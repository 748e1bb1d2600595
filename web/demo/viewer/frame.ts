// A frame: project, compact, sort, draw, present. The host records it without knowing how many splats are seen.

import { LanesortError, type SorterOptions } from "../../src/index.ts";
import { viewWords, type View } from "./camera.ts";
import { covarianceWords, placeWords, type Scene } from "./scene.ts";
import { makeSorter, noArgs, type DepthSorter, type SeenSplats, type SorterName } from "./sorters.ts";
import compactionText from "./compaction.wgsl?raw";
import presentationText from "./presentation.wgsl?raw";
import projectionText from "./projection.wgsl?raw";
import splatsText from "./splats.wgsl?raw";
import viewText from "./view.wgsl?raw";

const group = 256;
const projectedBytes = 32;
const sumFormat: GPUTextureFormat = "rgba16float";

/** Where stamps of the GPU's clock go. */
export interface Stamps {
  readonly project: GPUComputePassTimestampWrites;
  readonly draw: GPURenderPassTimestampWrites;
}

/** The most splats of a scene that a device's limits hold. */
export function mostSplats({ limits }: GPUDevice): number {
  const bytes = Math.max(projectedBytes, 4 * covarianceWords, 4 * placeWords);
  return Math.min(Math.floor(Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize) / bytes), group * limits.maxComputeWorkgroupsPerDimension);
}

const storage = (device: GPUDevice, label: string, size: number, more = 0): GPUBuffer =>
  device.createBuffer({ label, size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST | more });

function bind(device: GPUDevice, pipeline: GPUComputePipeline | GPURenderPipeline, buffers: Record<number, GPUBuffer>): GPUBindGroup {
  const entries = Object.entries(buffers).map(([binding, buffer]) => ({ binding: Number(binding), resource: { buffer } }));
  return device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
}

/** A scene on the GPU. */
class SceneBuffers implements SeenSplats {
  readonly capacity: number;
  readonly places: GPUBuffer;
  readonly covariances: GPUBuffer;
  readonly projected: GPUBuffer;
  readonly depthKeys: GPUBuffer;
  readonly groupCounts: GPUBuffer;
  readonly keys: GPUBuffer;
  readonly ids: GPUBuffer;
  readonly seen: GPUBuffer;
  readonly drawArgs: GPUBuffer;
  readonly sortArgs: GPUBuffer;

  constructor(device: GPUDevice, scene: Scene) {
    const { count } = scene;
    const most = mostSplats(device);
    if (count < 1 || count > most) throw new LanesortError({ cause: `${scene.name}: splats`, value: count, limit: most, remedy: "take a smaller scene" });
    this.capacity = count;
    this.places = storage(device, "places", 4 * placeWords * count);
    this.covariances = storage(device, "covariances", 4 * covarianceWords * count);
    this.projected = storage(device, "projected splats", projectedBytes * count);
    this.depthKeys = storage(device, "depth keys", 4 * count);
    this.groupCounts = storage(device, "group counts", 4 * this.groups);
    this.keys = storage(device, "keys", 4 * count);
    this.ids = storage(device, "ids", 4 * count);
    this.seen = storage(device, "splats seen", 256);  // what lanesort binds of a count
    this.drawArgs = storage(device, "draw arguments", 16, GPUBufferUsage.INDIRECT);
    this.sortArgs = storage(device, "sort arguments", 12, GPUBufferUsage.INDIRECT);
    device.queue.writeBuffer(this.places, 0, scene.places);
    device.queue.writeBuffer(this.covariances, 0, scene.covariances);
  }

  get groups(): number { return Math.ceil(this.capacity / group); }

  destroy(): void {
    for (const buffer of [this.places, this.covariances, this.projected, this.depthKeys, this.groupCounts, this.keys, this.ids, this.seen, this.drawArgs, this.sortArgs]) buffer.destroy();
  }
}

interface Pipelines {
  project: GPUComputePipeline;
  place: GPUComputePipeline;
  draw: GPURenderPipeline;
  present: GPURenderPipeline;
}

async function makePipelines(device: GPUDevice, format: GPUTextureFormat): Promise<Pipelines> {
  const module = (label: string, code: string) => device.createShaderModule({ label, code });
  const projection = module("projection", viewText + projectionText);
  const splats = module("splats", viewText + splatsText);
  const presentation = module("presentation", presentationText);
  const over: GPUBlendComponent = { srcFactor: "one", dstFactor: "one-minus-src-alpha", operation: "add" };
  const [project, place, draw, present] = await Promise.all([
    device.createComputePipelineAsync({ label: "project", layout: "auto", compute: { module: projection, entryPoint: "project" } }),
    compactionOf(device, "place_seen", noArgs),
    device.createRenderPipelineAsync({
      label: "draw splats", layout: "auto",
      vertex: { module: splats, entryPoint: "corner" },
      fragment: { module: splats, entryPoint: "shade", targets: [{ format: sumFormat, blend: { color: over, alpha: over } }] },
      primitive: { topology: "triangle-strip" },
    }),
    device.createRenderPipelineAsync({
      label: "present", layout: "auto",
      vertex: { module: presentation, entryPoint: "cover" },
      fragment: { module: presentation, entryPoint: "present", targets: [{ format }] },
    }),
  ]);
  return { project, place, draw, present };
}

const compactionOf = (device: GPUDevice, entryPoint: "scan_groups" | "place_seen", writeArgsWgsl: string): Promise<GPUComputePipeline> => {
  const module = device.createShaderModule({ label: "compaction", code: viewText + writeArgsWgsl + compactionText });
  return device.createComputePipelineAsync({ label: entryPoint, layout: "auto", compute: { module, entryPoint } });
};

/** What depends on the scene and the sorter: made anew with either, and used when it is ready. */
class Stage {
  private constructor(
    readonly scene: Scene, readonly buffers: SceneBuffers, readonly sorter: DepthSorter,
    readonly project: GPUBindGroup, readonly scan: [GPUComputePipeline, GPUBindGroup], readonly place: GPUBindGroup,
    readonly draw: GPUBindGroup,
  ) {}

  static async make(device: GPUDevice, pipelines: Pipelines, view: GPUBuffer, scene: Scene, buffers: SceneBuffers, sorter: DepthSorter): Promise<Stage> {
    const scan = await compactionOf(device, "scan_groups", sorter.writeArgsWgsl);
    const { places, covariances, projected, depthKeys, groupCounts, seen, drawArgs, sortArgs, keys, ids } = buffers;
    return new Stage(scene, buffers, sorter,
      bind(device, pipelines.project, { 0: view, 1: places, 2: covariances, 3: projected, 4: depthKeys, 5: groupCounts }),
      [scan, bind(device, scan, { 0: view, 2: groupCounts, 3: seen, 4: drawArgs, 5: sortArgs })],
      bind(device, pipelines.place, { 0: view, 1: depthKeys, 2: groupCounts, 3: seen, 6: keys, 7: ids }),
      bind(device, pipelines.draw, { 0: view, 1: projected, 2: sorter.order.ids }));
  }
}

export class FrameRenderer {
  private stage: Stage | undefined;
  private sum: GPUTexture | undefined;
  private presentGroup: GPUBindGroup | undefined;
  private changes = 0;
  private readonly view: GPUBuffer;

  private constructor(private readonly device: GPUDevice, private readonly pipelines: Pipelines, private readonly sorterOptions: Partial<SorterOptions>) {
    this.view = device.createBuffer({ label: "view", size: 80, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
  }

  /** `format`: of the targets. */
  static async create(device: GPUDevice, format: GPUTextureFormat, sorterOptions: Partial<SorterOptions> = {}): Promise<FrameRenderer> {
    return new FrameRenderer(device, await makePipelines(device, format), sorterOptions);
  }

  get sorter(): DepthSorter | undefined { return this.stage?.sorter; }
  get scene(): Scene | undefined { return this.stage?.scene; }
  get seen(): GPUBuffer | undefined { return this.stage?.buffers.seen; }

  /** Draws this scene by this sorter from now on, once both are ready; frames until then are as before. Of several
   * changes at once the last one counts: false where another came after. Throws a LanesortError, and changes nothing,
   * where the device is too small. */
  async change(scene: Scene, name: SorterName): Promise<boolean> {
    const change = ++this.changes;
    const { device, stage: before } = this;
    const buffers = before?.scene === scene ? before.buffers : new SceneBuffers(device, scene);
    const owned = buffers !== before?.buffers;
    let sorter: DepthSorter | undefined;
    let stage: Stage;
    try {
      sorter = await makeSorter(device, name, buffers, this.sorterOptions);
      stage = await Stage.make(device, this.pipelines, this.view, scene, buffers, sorter);
    } catch (error) {
      sorter?.destroy();
      if (owned) buffers.destroy();
      throw error;
    }
    if (change !== this.changes) {
      stage.sorter.destroy();
      if (owned) buffers.destroy();
      return false;
    }
    this.stage?.sorter.destroy();
    if (owned) this.stage?.buffers.destroy();
    this.stage = stage;
    return true;
  }

  /** Records a frame; `submitted` is to be called when it was submitted. */
  encode(encoder: GPUCommandEncoder, view: View, target: GPUTextureView, stamps?: Stamps): void {
    const { stage, device, pipelines } = this;
    if (stage === undefined) return;
    device.queue.writeBuffer(this.view, 0, viewWords(view, stage.buffers.capacity));
    const compute = encoder.beginComputePass({ label: "project and compact", ...(stamps && { timestampWrites: stamps.project }) });
    const dispatch = (pipeline: GPUComputePipeline, bindings: GPUBindGroup, workgroups: number): void => {
      compute.setPipeline(pipeline);
      compute.setBindGroup(0, bindings);
      compute.dispatchWorkgroups(workgroups);
    };
    dispatch(pipelines.project, stage.project, stage.buffers.groups);
    dispatch(...stage.scan, 1);
    dispatch(pipelines.place, stage.place, stage.buffers.groups);
    compute.end();
    stage.sorter.encode(encoder);
    const sum = this.sumOf(view.width, view.height);
    const draw = encoder.beginRenderPass({
      label: "draw splats", ...(stamps && { timestampWrites: stamps.draw }),
      colorAttachments: [{ view: sum.createView(), loadOp: "clear", storeOp: "store", clearValue: [0, 0, 0, 0] }],
    });
    draw.setPipeline(pipelines.draw);
    draw.setBindGroup(0, stage.draw);
    draw.drawIndirect(stage.sorter.order.drawArgs, 0);
    draw.end();
    const present = encoder.beginRenderPass({ label: "present", colorAttachments: [{ view: target, loadOp: "clear", storeOp: "store", clearValue: [0, 0, 0, 0] }] });
    present.setPipeline(pipelines.present);
    present.setBindGroup(0, this.presentGroup!);
    present.draw(3);
    present.end();
  }

  submitted(): void {
    this.stage?.sorter.submitted?.();
  }

  private sumOf(width: number, height: number): GPUTexture {
    if (this.sum !== undefined && this.sum.width === width && this.sum.height === height) return this.sum;
    this.sum?.destroy();
    this.sum = this.device.createTexture({ label: "sum of splats", size: [width, height], format: sumFormat, usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING });
    this.presentGroup = this.device.createBindGroup({ layout: this.pipelines.present.getBindGroupLayout(0), entries: [{ binding: 0, resource: this.sum.createView() }] });
    return this.sum;
  }

  destroy(): void {
    this.changes++;
    this.stage?.sorter.destroy();
    this.stage?.buffers.destroy();
    this.stage = undefined;
    this.sum?.destroy();
    this.view.destroy();
  }
}
