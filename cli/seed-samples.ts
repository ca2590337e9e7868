// The sample notes, logs, postmortems and inventory of an invented team.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { INVENTORY_COLLECTIONS } from "../functions/search-index/collections.ts";
import { callFor, pathOf } from "./service/client.ts";
import { CommandError, EXIT_CODES } from "./service/command-error.ts";
import type { Service } from "./service/find-service.ts";

const SAMPLES = new URL("../seeds/samples/", import.meta.url);
const DOMAIN = "sample-shop";

/** Folder of the sample texts, which are one domain. */
export const SAMPLE_TEXTS = fileURLToPath(new URL(DOMAIN, SAMPLES));

/** Idempotent. @returns the number of documents @throws CommandError; Error for a document that is not valid */
export async function loadSampleInventory(service: Service): Promise<number> {
  let count = 0;
  for (const collection of INVENTORY_COLLECTIONS) {
    const documents = await readInventory(collection);
    const request = { method: "PUT", path: pathOf("inventory", collection, "documents"), body: { documents } } as const;
    const { errors } = await callFor(service, request, z.object({ errors: z.array(z.object({ index: z.number() })) }));
    const [error] = errors;
    if (error) throw new Error(`${collection}.json: document ${error.index} is not valid.`);
    count += documents.length;
  }
  return count;
}

/** Removes the domain of the samples with its texts, and their inventory. Repeating it is no error. @throws CommandError */
export async function removeSamples(service: Service): Promise<void> {
  const domain = { method: "DELETE", path: pathOf("domains", DOMAIN), query: { force: "true" } } as const;
  await callFor(service, domain, z.unknown()).catch((error: unknown) => {
    if (!(error instanceof CommandError && error.exitCode === EXIT_CODES.notFound)) throw error;
  });
  for (const collection of INVENTORY_COLLECTIONS) {
    const body = { ids: (await readInventory(collection)).map(({ id }) => id) };
    await callFor(service, { method: "DELETE", path: pathOf("inventory", collection, "documents"), body }, z.unknown());
  }
}

const inventorySchema = z.array(z.looseObject({ id: z.string() }));

async function readInventory(collection: string) {
  return inventorySchema.parse(JSON.parse(await readFile(new URL(`inventory/${collection}.json`, SAMPLES), "utf8")));
}
