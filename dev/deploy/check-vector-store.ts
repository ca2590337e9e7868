// The vector store: Chroma answers, its database exists, and its vectors are those of the configured model.

import { ConfigError, type Environment } from "../../functions/config.ts";
import { settle } from "../../functions/dependencies.ts";
import { COLLECTIONS } from "../../functions/search-index/collections.ts";
import { readIndexStates } from "../../functions/search-index/index-state.ts";
import type { IndexStores } from "../../functions/search-index/search-services.ts";
import { createServices } from "../../functions/services.ts";
import { ask } from "./ask.ts";
import { type Finding, findingsOf } from "./finding.ts";

const { ok, problem, unchecked } = findingsOf("vector_store");

const REINDEX = "dejavu reindex, with the settings of this environment (docs/guides/deploy.md)";

export interface VectorStoreInput {
  /** Variables and secrets, as far as they are here. */
  readonly settings: Environment;
  /** Whether the Worker has a key. */
  readonly hasKey: boolean;
  readonly timeoutMs: number;
}

export async function checkVectorStore(input: VectorStoreInput): Promise<Finding> {
  const { settings, hasKey, timeoutMs } = input;
  const missing =
    settings.CHROMA_URL === undefined
      ? "CHROMA_URL"
      : settings.CHROMA_API_KEY === undefined && hasKey
        ? "CHROMA_API_KEY"
        : undefined;
  if (missing !== undefined)
    return unchecked(
      `The vector store was not checked: the value of ${missing} is not here.`,
      "Set it in the shell, or in the file of --secrets-file.",
    );
  return (await findVectorStoreProblem(settings, timeoutMs)) ?? checkIndex(input);
}

/** Whether Chroma answers, takes the key and has the database. @returns undefined if it does */
export async function findVectorStoreProblem(settings: Environment, timeoutMs: number): Promise<Finding | undefined> {
  const key = settings.CHROMA_API_KEY;
  const url = String(settings.CHROMA_URL).replace(/\/+$/, "");
  const tenant = String(settings.CHROMA_TENANT ?? "default_tenant");
  const name = String(settings.CHROMA_DATABASE ?? "default_database");
  const path = `/api/v2/tenants/${encodeURIComponent(tenant)}/databases/${encodeURIComponent(name)}`;
  const headers: Record<string, string> = key === undefined ? {} : { "x-chroma-token": String(key) };
  const reply = await ask(`${url}${path}`, { headers }, timeoutMs);
  if (!reply.ok) return problem(`Chroma at ${url} cannot be reached: ${reply.reason}.`, "Check CHROMA_URL.");
  if (reply.status === 401 || reply.status === 403)
    return key === undefined
      ? problem(`Chroma at ${url} needs a key.`, "Set CHROMA_API_KEY.")
      : problem(`Chroma at ${url} refuses CHROMA_API_KEY.`, "Use a key of this tenant and database.");
  if (reply.status === 404)
    return problem(
      `Chroma at ${url} has no database ${name} of the tenant ${tenant}.`,
      "Create it, or correct CHROMA_TENANT and CHROMA_DATABASE.",
    );
  if (reply.status !== 200)
    return problem(`Chroma at ${url} answers with status ${reply.status}.`, "Check CHROMA_URL and the server's log.");
  return undefined;
}

/** Only the shape of a binding: nothing is embedded here. */
const AI = { run: () => Promise.reject(new Error("The deploy check embeds nothing.")) };

async function checkIndex({ settings }: VectorStoreInput): Promise<Finding> {
  const missing = { SUPABASE_URL: "http://not-here.invalid", SUPABASE_SERVICE_ROLE_KEY: "not-here" };
  try {
    const { background } = createServices({ ...missing, ...settings, AI, LOG_LEVEL: "error" });
    const hasDatabase = Object.keys(missing).every((name) => name in settings);
    const findings = await settle(compareIndex(background, hasDatabase));
    return findings.ok ? findings.value : unchecked(`The index was not checked: ${findings.error.message}.`);
  } catch (error) {
    if (error instanceof ConfigError) return unchecked("The index was not checked: the settings are not valid.");
    throw error;
  }
}

async function compareIndex(stores: IndexStores, hasDatabase: boolean): Promise<Finding> {
  const names = await stores.vectors.collections();
  const existing = COLLECTIONS.filter((name) => names.includes(name));
  for (const name of existing) {
    const opened = await settle(stores.vectors.initialize(name));
    if (opened.ok) continue;
    if (opened.error.failure !== "model_mismatch") throw opened.error;
    return problem(
      `The vectors of ${name} were made by another embedding model or chunking than ${stores.vectors.fingerprint}.`,
      REINDEX,
    );
  }
  if (!hasDatabase)
    return unchecked(
      `Chroma has ${existing.length} collections of this model. They were not compared with the database.`,
      "Set SUPABASE_URL and SUPABASE_SERVICE_ROLE_KEY in the shell, or in the file of --secrets-file.",
    );
  const { indexed, stale } = await countIndexed(stores, existing);
  if (stale > 0) return problem(`${stale} documents have no vectors of the configured embedding model.`, REINDEX);
  return ok(`Chroma has ${existing.length} collections with the ${indexed} documents of the database.`);
}

async function countIndexed(stores: IndexStores, existing: readonly string[]) {
  let indexed = 0;
  let stale = 0;
  for (const name of COLLECTIONS) {
    for await (const states of readIndexStates(stores.database, name)) {
      for (const { fingerprint } of states) {
        // Without a fingerprint it waits in the outbox, which is no reason to reindex.
        if (fingerprint === null) continue;
        indexed++;
        if (fingerprint !== stores.vectors.fingerprint || !existing.includes(name)) stale++;
      }
    }
  }
  return { indexed, stale };
}
