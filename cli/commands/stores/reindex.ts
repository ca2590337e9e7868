// `dejavu reindex`: rebuilds the vector store from Postgres with the configured embedding model.

import { COLLECTIONS } from "../../../functions/search-index/collections.ts";
import { findStores, showProgress } from "../../find-stores.ts";
import { reindexAll } from "../../reindex-all.ts";
import type { Invocation } from "../../service/invocation.ts";

export async function run({ args, cli }: Invocation): Promise<void> {
  const total = await reindexAll(
    findStores(cli.env),
    (done, count, collection) => showProgress(cli, `${collection}: ${done} of ${count}`),
    args.length > 0 ? args : COLLECTIONS,
  );
  showProgress(cli, "");
  cli.print(total === 0 ? "Every vector is up to date; nothing was embedded." : `${total} documents were embedded.`);
}
