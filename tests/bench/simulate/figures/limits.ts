// Published limits of the platforms, each with its page and the date on which it was read, and assumptions where no page
// has a figure. Change a figure here, or for one run with `--set`, and run `npm run simulate`.

export interface Limit {
  readonly value: number;
  readonly unit: string;
  /** The page that has the figure; null for an assumption. */
  readonly source: string | null;
  /** When the page was read; for an assumption, why this figure. */
  readonly note: string;
}

const READ = "read in November 2026";
const QUEUES = "https://developers.cloudflare.com/queues/platform/limits/";
const WORKERS = "https://developers.cloudflare.com/workers/platform/limits/";
const WORKERS_AI = "https://developers.cloudflare.com/workers-ai/platform/limits/";
const CHROMA = "https://docs.trychroma.com/cloud/quotas-limits";
const COMPUTE = "https://supabase.com/docs/guides/platform/compute-and-disk";
const POSTGREST = "https://docs.postgrest.org/en/v12/references/configuration.html";

export const LIMITS = {
  queueMessagesPerSecond: { value: 5_000, unit: "messages a second of a queue", source: QUEUES, note: READ },
  queueConcurrency: { value: 250, unit: "consumers of a queue", source: QUEUES, note: READ },
  queueSendMs: { value: 10, unit: "ms to send a batch", source: null, note: "no page has a figure" },
  workerConnections: { value: 6, unit: "connections of an invocation", source: WORKERS, note: READ },
  workerSubrequests: { value: 10_000, unit: "subrequests of an invocation", source: WORKERS, note: READ },
  isolatesPerRegion: {
    value: 4,
    unit: "isolates of a region for requests",
    source: null,
    note: "the platform starts as many as it needs; more than one, so that caches are cold in each",
  },
  postgresCores: { value: 2, unit: "cores of the compute Micro", source: COMPUTE, note: `${READ}; shared cores` },
  postgresConnections: { value: 60, unit: "connections of the compute Micro", source: COMPUTE, note: READ },
  postgrestPool: {
    value: 10,
    unit: "connections of the Data API",
    source: POSTGREST,
    note: `${READ}: the default of db-pool. The figure that a project has is under Settings, Data API, Pool size`,
  },
  postgrestAcquisitionMs: {
    value: 10_000,
    unit: "ms that a request waits for a connection",
    source: POSTGREST,
    note: `${READ}: the default of db-pool-acquisition-timeout`,
  },
  chromaReads: { value: 10, unit: "concurrent reads of a collection", source: CHROMA, note: READ },
  chromaWrites: { value: 10, unit: "concurrent writes of a collection", source: CHROMA, note: READ },
  embeddingRequestsPerMinute: { value: 3_000, unit: "requests a minute", source: WORKERS_AI, note: READ },
  embeddingMs: { value: 40, unit: "ms of a request for embeddings", source: null, note: "no page has a figure" },
} as const satisfies Readonly<Record<string, Limit>>;

export type LimitName = keyof typeof LIMITS;
export type LimitValues = Readonly<Record<LimitName, number>>;

export function isLimitName(name: string): name is LimitName {
  return Object.hasOwn(LIMITS, name);
}

export const LIMIT_NAMES: readonly LimitName[] = Object.keys(LIMITS).filter(isLimitName);

/** Each limit with its published or assumed value. */
export function publishedLimits(): Record<LimitName, number> {
  const values = Object.fromEntries(LIMIT_NAMES.map((name) => [name, LIMITS[name].value]));
  return values as Record<LimitName, number>;
}

const PLENTY = 100_000;

/** A platform that refuses nothing and lets nothing wait. */
export function unlimited(limits: LimitValues): LimitValues {
  return {
    ...limits,
    queueMessagesPerSecond: PLENTY,
    workerConnections: PLENTY,
    postgresCores: PLENTY,
    postgrestPool: PLENTY,
    chromaReads: PLENTY,
    chromaWrites: PLENTY,
    embeddingRequestsPerMinute: PLENTY,
  };
}

/** Supabase compute sizes in ascending order, https://supabase.com/docs/guides/platform/compute-and-disk */
export const COMPUTE_SIZES = [
  { name: "Micro", cores: 2, connections: 60 },
  { name: "XL", cores: 4, connections: 240 },
  { name: "2XL", cores: 8, connections: 380 },
  { name: "4XL", cores: 16, connections: 480 },
  { name: "8XL", cores: 32, connections: 490 },
] as const;
