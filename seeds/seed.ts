// `npm run seed`: loads the runbooks into the running local stack, or into the stores that the environment names.

import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { workerEnvOf } from "../dev/stack/settings.ts";
import { readStackInfo } from "../dev/stack/stack-info.ts";
import { describeSeed, seedRunbooks } from "./seed-runbooks.ts";

const USAGE = `Usage: npm run seed [-- <directory>]

Loads every Markdown file of <directory>/{docker,podman,kubernetes,postgres} into Postgres and Chroma; without a
directory the runbooks of this project. Files that are gone are removed. Repeat it as often as you like.

Uses the stack that "npm start" runs. For a hosted Dejavu set SUPABASE_URL, SUPABASE_SERVICE_ROLE_KEY, CHROMA_URL,
EMBEDDING_MODEL, EMBEDDING_DIMENSIONS and, as the embedding model needs it, EMBEDDINGS_URL and EMBEDDINGS_API_KEY.`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: "boolean", default: false } },
  });
  if (values.help) return console.log(USAGE);
  const [directory] = positionals;
  const report = await seedRunbooks({
    env: findStores(),
    ...(directory !== undefined ? { directory } : {}),
    onProgress: (done, total, domain) => showProgress(`${domain}: ${done} of ${total} chunks written`),
  });
  showProgress("");
  console.log(describeSeed(report));
}

function findStores(): Record<string, string | undefined> {
  if (process.env.SUPABASE_URL) return process.env;
  const reading = readStackInfo(fileURLToPath(new URL("../.dejavu", import.meta.url)));
  if (reading.state === "running") return workerEnvOf(reading.info.urls, reading.info, {});
  throw new Error(
    'No local stack is running and SUPABASE_URL is not set. Run "npm start" in another terminal, or see --help.',
  );
}

/** One line that is written over on a terminal, a line each time elsewhere. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`);
  else if (text !== "") console.error(text);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
