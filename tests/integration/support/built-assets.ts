// The built static assets, as the platform's binding serves them.

import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { assetsDir } from "../../../dev/stack/assets/build-assets.ts";
import { REPO_DIR } from "../../../dev/stack/paths.ts";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** `createHarness({ ASSETS: builtAssets })`. */
export const builtAssets = {
  async fetch({ url }: Request): Promise<Response> {
    const { pathname } = new URL(url);
    try {
      const body = await readFile(join(assetsDir(REPO_DIR), pathname));
      return new Response(body, { headers: { "content-type": MEDIA_TYPES[extname(pathname)] ?? "text/plain" } });
    } catch {
      return new Response("Not found", { status: 404 });
    }
  },
};
