// What the build puts in. See vite.config.ts.
declare const LANESORT_VERSION: string;
