// Commands for those who run Dejavu: seed through the service; reindex, backup and restore in the stores themselves.

import { COLLECTIONS } from "../../functions/search-index/collections.ts";
import { addCommand, type Checkout, type Parent } from "./command-builder.ts";

const STORES = `Needs a clone. Uses the stack that "npm start" runs. For a hosted Dejavu set SUPABASE_URL, SUPABASE_SERVICE_ROLE_KEY, CHROMA_URL, EMBEDDING_MODEL, EMBEDDING_DIMENSIONS and, as the embedding model needs it, EMBEDDINGS_URL and EMBEDDINGS_API_KEY.`;
const DATABASE = 'Needs a clone. Uses PostgreSQL at DATABASE_URL, or that of the stack that "npm start" runs.';

export function addStoreCommands(parent: Parent, checkout: () => Promise<Checkout>): void {
  addCommand(parent, {
    usage: "seed",
    description: "load the runbooks that ship with Dejavu",
    notes:
      '"npm start" and "npm run deploy" do it. Adds what is missing, updates what changed, and removes built-in runbooks that no longer ship. Your own stay: "dejavu runbooks add <folder>" loads those. Needs a clone, and a token with the scope admin.',
    examples: ["dejavu seed"],
    load: async () => (await checkout()).commands.seed(),
  });
  addCommand(parent, {
    usage: "reindex [collections...]",
    description: "rebuild the vector index from the database: all collections, or some",
    define: (command) => {
      command.registeredArguments[0]?.choices(COLLECTIONS);
      return command;
    },
    callsService: false,
    notes: `Needed after an upgrade that changes the form of the index ("npm start" does it by itself), after a change of EMBEDDING_MODEL or EMBEDDING_DIMENSIONS, or after Chroma lost data. A stopped run resumes where it ended.

${STORES}`,
    examples: ["dejavu reindex", "dejavu reindex runbooks incidents"],
    load: async () => (await checkout()).commands.reindex(),
  });
  addCommand(parent, {
    usage: "backup <file>",
    description: "write everything that the database holds to a new file",
    callsService: false,
    notes: `The service may be in use. The vector index is not in the file: "dejavu reindex" makes it anew after a restore. The file has the texts of all reports: keep it secret.

${DATABASE}`,
    examples: ["dejavu backup dejavu-2026-12-01.backup"],
    load: async () => (await checkout()).commands.backup(),
  });
  addCommand(parent, {
    usage: "restore <file>",
    description: "restore the database from a backup",
    define: (command) =>
      command
        .option("--check", "only check that the file is whole, without a database")
        .option("--replace", "delete what the database holds"),
    callsService: false,
    notes: `The database needs the migrations of the Dejavu that made the backup, and no incidents or runbooks. Either everything is restored or nothing is changed. Then make the vector index with "dejavu reindex".

${DATABASE}`,
    examples: ["dejavu restore --check dejavu-2026-12-01.backup", "dejavu restore dejavu-2026-12-01.backup"],
    load: async () => (await checkout()).commands.restore(),
  });
}
