// `npm run console`: the console with hot reload against the running stack of `npm start`.

import { resolve } from "node:path";
import { createServer } from "vite";
import { REPO_DIR } from "./stack/paths.ts";
import { readStackInfo } from "./stack/stack-info.ts";

const reading = readStackInfo(resolve(REPO_DIR, ".dejavu"));
if (process.env.DEJAVU_URL === undefined && reading.state !== "running") {
  console.error("No stack is running. Start it first: npm start. Or set DEJAVU_URL to the address of a Worker.");
  process.exit(1);
}
if (reading.state === "running") process.env.DEJAVU_URL ??= reading.info.urls.worker;
const server = await createServer({ configFile: resolve(REPO_DIR, "console/vite.config.ts") });
await server.listen();
console.log(`The console with hot reload, against ${process.env.DEJAVU_URL}:\n`);
server.printUrls();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void server.close().finally(() => process.exit(0)));
