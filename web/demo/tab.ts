export interface Gpu { adapter: GPUAdapter; device: GPUDevice; /* opened with what lanesort's query() asks for */ }
export interface Tab { show(): void; hide(): void; destroy(): void }
export type MountTab = (root: HTMLElement, gpu: Gpu) => Promise<Tab>;
