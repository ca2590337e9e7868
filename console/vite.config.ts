// Builds the console into static assets of the Worker, and serves it with hot reload during development.

import prefresh from "@prefresh/vite";
import { defineConfig } from "vite";

/** The address of the running Worker, which answers everything but the console's own files. */
const worker = process.env.DEJAVU_URL ?? "http://127.0.0.1:8787";

export default defineConfig({
  root: import.meta.dirname,
  base: "/console/",
  plugins: [prefresh()],
  // Also under a test runner, whose NODE_ENV asks for places of the source in each element.
  oxc: { jsx: { runtime: "automatic", importSource: "preact", development: false } },
  build: {
    target: "es2023",
    // An inlined file would need `data:` in the policy of the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    host: "127.0.0.1",
    strictPort: false,
    proxy: { "^/(v1|health|docs|openapi\\.json|metrics)(/|$|\\?)": { target: worker } },
  },
});
