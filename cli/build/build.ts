// `npm run build:cli`: bundles the command line into dist/, a package without dependencies for `npm publish dist`.

import { chmod, cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import packageJson from "../../package.json" with { type: "json" };

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const GUIDE = "docs/guides/command-line.md";
const CHECKOUT = join(ROOT, "cli/checkout.ts");
const PUBLISHED = join(ROOT, "cli/published.ts");

const [folder = join(ROOT, "dist")] = process.argv.slice(2);
const dist = resolve(folder);

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
await bundle(dist);
await chmod(join(dist, "dejavu.js"), 0o755);
await cp(join(ROOT, "LICENSE"), join(dist, "LICENSE"));
await writeFile(join(dist, "README.md"), withoutRelativeLinks(await readFile(join(ROOT, GUIDE), "utf8")));
await writeFile(join(dist, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
console.log(`Built ${dist}. Publish it with: npm publish ${folder}`);

async function bundle(outDir: string): Promise<void> {
  await build({
    root: ROOT,
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    plugins: [
      {
        name: "published-build",
        enforce: "pre",
        async resolveId(source, importer, options) {
          const target = await this.resolve(source, importer, { ...options, skipSelf: true });
          return target?.id === CHECKOUT ? PUBLISHED : null;
        },
      },
    ],
    ssr: { noExternal: true, target: "node" },
    build: {
      ssr: "cli/dejavu.ts",
      outDir,
      emptyOutDir: false,
      target: "node20",
      minify: true,
      rolldownOptions: {
        // Of this project, only the entry does something when it is imported; of the packages, those that set up schemas.
        treeshake: {
          moduleSideEffects: (id: string) =>
            id.endsWith("/cli/dejavu.ts") || /\/node_modules\/(?:zod|@hono\/zod-openapi|@asteasolutions)\//.test(id),
        },
        output: { entryFileNames: "dejavu.js", chunkFileNames: "chunks/[name]-[hash].js" },
      },
    },
  });
}

/** Links of the guide lead to files that the package does not hold: their text stays. */
function withoutRelativeLinks(markdown: string): string {
  return markdown.replace(/\[([^[\]]+)\]\((?!https?:)[^()]*\)/g, "$1").replace(/^<!-- .* -->\n/gm, "");
}

function manifest() {
  const { name, version, description, license, engines } = packageJson;
  return {
    name,
    version,
    description,
    license,
    type: "module",
    bin: { dejavu: "dejavu.js" },
    files: ["dejavu.js", "chunks"],
    engines,
    keywords: ["incident", "triage", "runbook", "on-call"],
  };
}
