/**
 * Process entry: the Chroma server inside `chromadb-js-bindings-*`, the native package chromadb brings for its CLI.
 * Called directly because the CLI's own entry swallows signals and asks the npm registry for news.
 */
import { createRequire } from "node:module";
import { z } from "zod";

const PACKAGES: Record<string, string> = {
  "linux-x64": "chromadb-js-bindings-linux-x64-gnu",
  "linux-arm64": "chromadb-js-bindings-linux-arm64-gnu",
  "darwin-x64": "chromadb-js-bindings-darwin-x64",
  "darwin-arm64": "chromadb-js-bindings-darwin-arm64",
};

const bindingsSchema = z.object({ cli: z.custom<(args: string[]) => void>((value) => typeof value === "function") });
const { PORT, CHROMA_DATA_DIR } = z.object({ PORT: z.string(), CHROMA_DATA_DIR: z.string() }).parse(process.env);

const name = PACKAGES[`${process.platform}-${process.arch}`];
if (!name) throw new Error(`There is no Chroma server for ${process.platform} on ${process.arch}.`);
const bindings = bindingsSchema.parse(createRequire(import.meta.url)(name));
bindings.cli(["chroma", "run", "--path", CHROMA_DATA_DIR, "--port", PORT, "--host", "127.0.0.1"]);
