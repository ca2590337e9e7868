// `npm run seed`: loads the runbooks into the running local stack, or into the stores that the environment names.

import { parseArgs } from "node:util";
import { findStores, showProgress } from "../dev/stores-at-hand.ts";
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

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
