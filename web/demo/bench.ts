import type { MountTab } from "./tab.ts";
export const mountBench: MountTab = async () => ({ show() {}, hide() {}, destroy() {} });
