// `npm run reindex`: rebuilds the vector store from Postgres with the configured embedding model.

import { parseArgs } from "node:util";
import { COLLECTIONS } from "../functions/search-index/collections.ts";
import { findStores, showProgress } from "./find-stores.ts";
import { reindexAll } from "./reindex-all.ts";

const USAGE = `Usage: npm run reindex [-- <collection> …]

Embeds the documents in Postgres and writes them to Chroma: all collections, or the named ones.
  ${COLLECTIONS.join("\n  ")}

Needed after an upgrade that changes the form of the index ("npm start" does it by itself), after a change of EMBEDDING_MODEL, EMBEDDING_DIMENSIONS, CHUNK_SIZE or CHUNK_OVERLAP, or after Chroma lost data.
A stopped run resumes where it ended. Changed chunking also needs "npm run seed" afterwards.`;

function isCollection(name: string): boolean {
  return COLLECTIONS.some((collection) => collection === name);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: "boolean", default: false } },
  });
  const unknown = positionals.filter((name) => !isCollection(name));
  if (values.help || unknown.length > 0) {
    if (unknown.length > 0) console.error(`No collection is named ${unknown.join(", ")}.\n`);
    console.log(USAGE);
    process.exitCode = unknown.length > 0 ? 2 : 0;
    return;
  }
  const total = await reindexAll(
    findStores(),
    (done, count, collection) => showProgress(`${collection}: ${done} of ${count}`),
    positionals.length > 0 ? positionals : COLLECTIONS,
  );
  showProgress("");
  console.log(total === 0 ? "Every vector is up to date; nothing was embedded." : `${total} documents were embedded.`);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
