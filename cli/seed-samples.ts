// Loads the sample notes, logs, postmortems and inventory of an invented team into both stores, and removes them.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Environment } from "../functions/config.ts";
import { deleteInventory, loadInventory } from "../functions/knowledge/inventory.ts";
import { removeDomain } from "../functions/knowledge/put-domain.ts";
import { INVENTORY_COLLECTIONS } from "../functions/search-index/collections.ts";
import {
  createSlowServices,
  loadRunbooks,
  type RunbookFolder,
  readRunbookFolder,
  type SeedReport,
} from "./seed-runbooks.ts";

const SAMPLES = new URL("../seeds/samples/", import.meta.url);

export interface SampleReport {
  readonly texts: SeedReport;
  /** Documents of the inventory. */
  readonly inventory: number;
}

/** The sample texts, which are one domain. */
export function readSamples(): Promise<RunbookFolder> {
  return readRunbookFolder(fileURLToPath(new URL("sample-shop", SAMPLES)));
}

/** Idempotent. @throws DependencyError; Error for a document of the inventory that is not valid */
export async function loadSamples(
  env: Environment,
  onProgress?: (done: number, total: number, label: string) => void,
): Promise<SampleReport> {
  const services = createSlowServices(env);
  const texts = await loadRunbooks(await readSamples(), { env, ...(onProgress === undefined ? {} : { onProgress }) });
  let inventory = 0;
  for (const collection of INVENTORY_COLLECTIONS) {
    const documents = await readInventory(collection);
    const loaded = await loadInventory(services, collection, { documents });
    const [error] = loaded.state === "stored" ? loaded.errors : [];
    if (error) throw new Error(`${collection}.json: document ${error.index} is not valid.`);
    inventory += documents.length;
  }
  return { texts, inventory };
}

/** Removes the domain of the samples with its texts, and their inventory. @throws DependencyError */
export async function removeSamples(env: Environment): Promise<void> {
  const services = createSlowServices(env);
  const by = { actor: "dejavu seed", requestId: services.newId() };
  for (const { name } of (await readSamples()).domains) await removeDomain(services, { name, force: true, by });
  for (const collection of INVENTORY_COLLECTIONS) {
    const ids = (await readInventory(collection)).map(({ id }) => id);
    await deleteInventory(services, collection, { ids });
  }
}

const inventorySchema = z.array(z.looseObject({ id: z.string() }));

async function readInventory(collection: string) {
  return inventorySchema.parse(JSON.parse(await readFile(new URL(`inventory/${collection}.json`, SAMPLES), "utf8")));
}
