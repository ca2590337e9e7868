// The vector store of a deployment: address, key, tenant and database, which is made if it does not exist.

import { z } from "zod";
import { ask } from "../ask.ts";
import { findVectorStoreProblem } from "../check-vector-store.ts";
import { type Finding, findingsOf } from "../finding.ts";
import type { SettingValues } from "../settings-file.ts";
import { type Conversation, DeployError, obtain } from "./person.ts";

const { problem } = findingsOf("vector_store");
const CLOUD = "https://api.trychroma.com";
const identitySchema = z.object({ tenant: z.string(), databases: z.array(z.string()) });

export interface VectorStore {
  readonly settings: SettingValues;
  /** Whether the database has to be made. */
  readonly isMissing: boolean;
}

/** @param fallback name of the database in Chroma Cloud. @throws DeployError */
export async function obtainVectorStore(
  presets: SettingValues,
  fallback: string,
  conversation: Conversation,
  timeoutMs: number,
): Promise<VectorStore> {
  const CHROMA_URL = await obtain(
    { name: "CHROMA_URL", preset: presets.CHROMA_URL, question: { text: "URL of Chroma", fallback: CLOUD } },
    conversation,
    (url) => findAddressProblem(url, timeoutMs),
  );
  const base = { CHROMA_URL, ...named(presets, ["CHROMA_TENANT", "CHROMA_DATABASE"]) };
  const needsKey = new URL(CHROMA_URL).hostname.endsWith(".trychroma.com") || presets.CHROMA_API_KEY !== undefined;
  const key =
    needsKey || (await isKeyDemanded(base, timeoutMs)) ? await obtainKey(presets, base, conversation, timeoutMs) : {};
  const places = { ...base, ...key };
  const settings = { ...(await placesOf(places, fallback, needsKey, conversation, timeoutMs)), ...places };
  const state = await readState(settings, timeoutMs);
  if (state === "missing" || state === "present") return { settings, isMissing: state === "missing" };
  throw new DeployError(state.text);
}

async function findAddressProblem(url: string, timeoutMs: number): Promise<Finding | undefined> {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    return problem("CHROMA_URL is no address.", `Chroma Cloud has ${CLOUD}`);
  const reply = await ask(`${url.replace(/\/+$/, "")}/api/v2/heartbeat`, {}, timeoutMs);
  if (!reply.ok) return problem(`Chroma at ${url} cannot be reached: ${reply.reason}.`, "Check CHROMA_URL.");
  if (reply.status >= 404)
    return problem(`${url} answers with status ${reply.status}, and not as Chroma does.`, "Check CHROMA_URL.");
  return undefined;
}

async function isKeyDemanded(settings: SettingValues, timeoutMs: number): Promise<boolean> {
  return (await identityOf(settings, timeoutMs)) === "refused";
}

async function obtainKey(
  presets: SettingValues,
  base: SettingValues,
  conversation: Conversation,
  timeoutMs: number,
): Promise<SettingValues> {
  const CHROMA_API_KEY = await obtain(
    {
      name: "CHROMA_API_KEY",
      preset: presets.CHROMA_API_KEY,
      question: { text: "API key of Chroma", isSecret: true },
    },
    conversation,
    async (key) =>
      (await identityOf({ ...base, CHROMA_API_KEY: key }, timeoutMs)) === "refused"
        ? problem("Chroma refuses CHROMA_API_KEY.", "Make a key in the settings of the database.")
        : undefined,
  );
  return { CHROMA_API_KEY };
}

/** Tenant and database that nobody has named: those of the key. */
async function placesOf(
  settings: SettingValues,
  fallback: string,
  hasKey: boolean,
  conversation: Conversation,
  timeoutMs: number,
): Promise<SettingValues> {
  const identity = await identityOf(settings, timeoutMs);
  const own = typeof identity === "string" ? undefined : identity;
  const databases = (own?.databases ?? []).filter((name) => name !== "*");
  const tenant = settings.CHROMA_TENANT ?? own?.tenant;
  const unchecked = async () => undefined;
  const CHROMA_TENANT =
    tenant ??
    (await obtain(
      { name: "CHROMA_TENANT", preset: undefined, question: { text: "Tenant of Chroma" } },
      conversation,
      unchecked,
    ));
  if (settings.CHROMA_DATABASE !== undefined) return { CHROMA_TENANT };
  const [only] = databases;
  if (only !== undefined && databases.length === 1) return { CHROMA_TENANT, CHROMA_DATABASE: only };
  if (!hasKey) return { CHROMA_TENANT, CHROMA_DATABASE: fallback };
  const question = { text: "Database of Chroma", fallback };
  const preset = conversation.person === null ? fallback : undefined;
  const CHROMA_DATABASE = await obtain({ name: "CHROMA_DATABASE", preset, question }, conversation, unchecked);
  return { CHROMA_TENANT, CHROMA_DATABASE };
}

/** Whose key it is. `unavailable`: the server does not say. */
async function identityOf(
  settings: SettingValues,
  timeoutMs: number,
): Promise<z.infer<typeof identitySchema> | "refused" | "unavailable"> {
  const reply = await ask(`${base(settings)}/api/v2/auth/identity`, { headers: headersOf(settings) }, timeoutMs);
  if (reply.ok && (reply.status === 401 || reply.status === 403)) return "refused";
  const identity = reply.ok ? identitySchema.safeParse(reply.body) : undefined;
  return identity?.data ?? "unavailable";
}

async function readState(settings: SettingValues, timeoutMs: number): Promise<"present" | "missing" | Finding> {
  const path = `/api/v2/tenants/${encodeURIComponent(settings.CHROMA_TENANT ?? "")}/databases/${encodeURIComponent(settings.CHROMA_DATABASE ?? "")}`;
  const reply = await ask(`${base(settings)}${path}`, { headers: headersOf(settings) }, timeoutMs);
  if (reply.ok && reply.status === 404) return "missing";
  return (await findVectorStoreProblem(settings, timeoutMs)) ?? "present";
}

/** @throws DeployError */
export async function createDatabase(settings: SettingValues, timeoutMs: number): Promise<void> {
  const { CHROMA_TENANT: tenant = "", CHROMA_DATABASE: name = "" } = settings;
  const path = `/api/v2/tenants/${encodeURIComponent(tenant)}/databases`;
  const headers = { "content-type": "application/json", ...headersOf(settings) };
  const init = { method: "POST", headers, body: JSON.stringify({ name }) };
  const reply = await ask(`${base(settings)}${path}`, init, timeoutMs);
  // 409: another run has made it.
  if (reply.ok && (reply.status < 300 || reply.status === 409)) return;
  const reason = reply.ok ? `status ${reply.status}` : reply.reason;
  throw new DeployError(
    `The database ${name} of the tenant ${tenant} could not be made: ${reason}. Make it in the dashboard of Chroma.`,
  );
}

function base({ CHROMA_URL = "" }: SettingValues): string {
  return CHROMA_URL.replace(/\/+$/, "");
}

function headersOf({ CHROMA_API_KEY }: SettingValues): Record<string, string> {
  return CHROMA_API_KEY === undefined ? {} : { "x-chroma-token": CHROMA_API_KEY };
}

function named(values: SettingValues, names: readonly string[]): SettingValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}
