// `npm run build`: builds the static assets of the Worker, if a source has changed.

import { relative } from "node:path";
import { assetsDir, buildAssets } from "./stack/assets/build-assets.ts";
import { REPO_DIR } from "./stack/paths.ts";

const isBuilt = await buildAssets(REPO_DIR);
console.log(`${isBuilt ? "Built" : "Up to date:"} ${relative(process.cwd(), assetsDir(REPO_DIR))}`);
