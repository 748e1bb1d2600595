// What the build puts in. See vite.config.ts.
declare const LANESORT_COMMIT: string;
declare module "*?url" {
  const address: string;
  export default address;
}
