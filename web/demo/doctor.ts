import type { MountTab } from "./tab.ts";
export const mountDoctor: MountTab = async () => ({ show() {}, hide() {}, destroy() {} });
