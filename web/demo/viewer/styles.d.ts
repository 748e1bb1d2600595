// Vite takes it into the page.
declare module "*.css";
