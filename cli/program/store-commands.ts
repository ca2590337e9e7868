// Commands that read and write the stores themselves, without the service: seed, reindex, backup, restore.

import { COLLECTIONS } from "../../functions/search-index/collections.ts";
import { addCommand, type Checkout, type Parent } from "./command-builder.ts";

const STORES = `Needs a clone. Uses the stack that "npm start" runs. For a hosted Dejavu set SUPABASE_URL, SUPABASE_SERVICE_ROLE_KEY, CHROMA_URL, EMBEDDING_MODEL, EMBEDDING_DIMENSIONS and, as the embedding model needs it, EMBEDDINGS_URL and EMBEDDINGS_API_KEY.`;
const DATABASE = 'Needs a clone. Uses PostgreSQL at DATABASE_URL, or that of the stack that "npm start" runs.';

export function addStoreCommands(parent: Parent, checkout: () => Promise<Checkout>): void {
  addCommand(parent, {
    usage: "seed [directory]",
    description: "load runbooks: a folder of your own, or those that ship with Dejavu",
    define: (command) =>
      command
        .option("--prune", "also remove texts that are no longer in the directory")
        .option("--yes", "with --prune: do not ask")
        .option("--samples", "load the sample notes, logs, postmortems and inventory of an invented shop instead")
        .option("--remove-samples", "remove them"),
    callsService: false,
    notes: `The directory is a domain, a technology or a team, if it holds Markdown files; otherwise each of its folders is one. Any name will do. Every Markdown file, at any depth, is added, or updated where it changed. Nothing else is touched. A file domain.yaml beside the runbooks may describe the domain. Its folders notes/, logs/ and postmortems/ hold texts that count for less with age: a date at the start of the file name (2026-03-01-orders.md) or in the front matter (date:) says when they were written. Repeat the command as often as you like.

--prune also removes the texts of these domains that an earlier "dejavu seed <directory>" loaded and this directory does not hold; without a directory, those that no longer ship with Dejavu. It lists them and asks first. What came through the API, what came from the other place, and other domains stay.

${STORES}`,
    examples: ["dejavu seed", "dejavu seed ./runbooks --prune", "dejavu seed --samples"],
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
