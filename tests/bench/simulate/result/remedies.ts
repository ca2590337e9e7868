// What to change when a resource is the first limit: the setting, the next value, and what users notice until then.

import { QUEUES } from "../../../../functions/jobs/queues.ts";
import { COMPUTE_SIZES, type LimitName } from "../figures/limits.ts";
import type { ResourceName } from "../platform/resources.ts";
import type { PlatformFigures } from "../simulate-burst.ts";

export interface Change {
  /** The setting with its new value, and where it is set. */
  readonly description: string;
  readonly figures: PlatformFigures;
}

export interface Remedy {
  readonly label: string;
  readonly noticed: string;
  /** Ways to lift it, the cheapest first. */
  readonly ways: readonly Way[];
  /** What to do where none of them helps. */
  readonly otherwise: string;
}

/** The next value of a setting; null at its end. */
export type Way = (figures: PlatformFigures) => Change | null;

/** Connections that the Data API leaves to the platform's own services, migrations and people. */
const RESERVED_CONNECTIONS = 20;

function withLimits(figures: PlatformFigures, changed: Partial<Record<LimitName, number>>): PlatformFigures {
  return { ...figures, limits: { ...figures.limits, ...changed } };
}

function quota(name: LimitName, describe: (value: number) => string): Way {
  return (figures) => {
    const value = figures.limits[name] * 2;
    return { description: describe(value), figures: withLimits(figures, { [name]: value }) };
  };
}

function largerPool(figures: PlatformFigures): Change | null {
  const { postgrestPool, postgresConnections } = figures.limits;
  const most = postgresConnections - RESERVED_CONNECTIONS;
  if (postgrestPool >= most) return null;
  const value = Math.min(most, postgrestPool * 2);
  return {
    description: `Supabase, Settings, Data API: Pool size = ${value}`,
    figures: withLimits(figures, { postgrestPool: value }),
  };
}

function largerCompute(figures: PlatformFigures): Change | null {
  const size = COMPUTE_SIZES.find(({ cores }) => cores > figures.limits.postgresCores);
  if (size === undefined) return null;
  const changed = { postgresCores: size.cores, postgresConnections: size.connections };
  return {
    description: `Supabase, Settings, Compute: ${size.name}, ${size.cores} cores, ${size.connections} connections`,
    figures: withLimits(figures, changed),
  };
}

function triageQueue(
  change: (
    queue: PlatformFigures["settings"]["queues"][number],
    figures: PlatformFigures,
  ) => { readonly maxBatchSize?: number; readonly maxConcurrency?: number } | null,
): Way {
  return (figures) => {
    const queue = figures.settings.queues.find(({ name }) => name === QUEUES.triages);
    const changed = queue && change(queue, figures);
    if (!queue || !changed) return null;
    const next = { ...queue, ...changed };
    const queues = figures.settings.queues.map((each) => (each === queue ? next : each));
    const values = [
      ...(next.maxBatchSize === queue.maxBatchSize ? [] : [`max_batch_size = ${next.maxBatchSize}`]),
      ...(next.maxConcurrency === queue.maxConcurrency ? [] : [`max_concurrency = ${next.maxConcurrency}`]),
    ];
    const description = `wrangler.toml, consumer of ${queue.name}: ${values.join(", ")}`;
    return { description, figures: { ...figures, settings: { ...figures.settings, queues } } };
  };
}

const moreConsumers = triageQueue(({ maxConcurrency }, { limits }) => {
  const current = maxConcurrency ?? limits.queueConcurrency;
  return current >= limits.queueConcurrency ? null : { maxConcurrency: Math.min(limits.queueConcurrency, current * 2) };
});

/** The same number of investigations at once, in more isolates. */
const smallerBatches = triageQueue(({ maxBatchSize, maxConcurrency }, { limits }) => {
  const current = maxConcurrency ?? limits.queueConcurrency;
  if (maxBatchSize <= 1) return null;
  return { maxBatchSize: Math.ceil(maxBatchSize / 2), maxConcurrency: Math.min(limits.queueConcurrency, current * 2) };
});

const largerRateLimit: Way = (figures) => {
  const rateLimits = figures.settings.rateLimits.map((rate) =>
    rate.binding === "RATE_LIMIT" ? { ...rate, limit: rate.limit * 2 } : rate,
  );
  const limit = rateLimits.find(({ binding }) => binding === "RATE_LIMIT")?.limit;
  if (limit === undefined) return null;
  return {
    description: `wrangler.toml, RATE_LIMIT: limit = ${limit}`,
    figures: { ...figures, settings: { ...figures.settings, rateLimits } },
  };
};

export const REMEDIES: Readonly<Record<ResourceName, Remedy>> = {
  postgres_connections: {
    label: "Postgres connections of the Data API",
    noticed: "webhooks and investigations wait; after 10 s they get 503 and are sent again",
    ways: [largerPool, largerCompute],
    otherwise: "a larger database than Supabase's largest",
  },
  postgres_cpu: {
    label: "Postgres CPU",
    noticed: "every call takes longer: webhooks are answered late, answers come late",
    ways: [largerCompute],
    otherwise: "a larger database than Supabase's largest",
  },
  postgres_locks: {
    label: "Postgres locks",
    noticed: "claims of incidents, or alerts of one name and token, wait for each other",
    ways: [],
    otherwise: "fewer consumers: claims are made one at a time",
  },
  request_cpu: {
    label: "CPU of the isolates for requests",
    noticed: "webhooks are answered late",
    ways: [],
    otherwise: "nothing: the platform starts more isolates (isolatesPerRegion is an assumption)",
  },
  triage_cpu: {
    label: "CPU of the isolates for triages",
    noticed: "answers come late",
    ways: [smallerBatches],
    otherwise: "a second Worker for the queue",
  },
  worker_connections: {
    label: "connections of an invocation",
    noticed: "the investigations of a batch wait for each other",
    ways: [smallerBatches],
    otherwise: "a second Worker for the queue",
  },
  triage_consumers: {
    label: "consumers of dejavu-triages",
    noticed: "incidents stay queued; answers come late, one team after the other",
    ways: [moreConsumers, largerCompute],
    otherwise: "a second queue",
  },
  queue_messages: {
    label: "messages of a queue",
    noticed: "new incidents stay queued until the job recover-stuck-runs sends them again, up to ten minutes later",
    ways: [quota("queueMessagesPerSecond", (value) => `Cloudflare, limit increase: ${value} messages a second`)],
    otherwise: "a second queue",
  },
  chroma_reads: {
    label: "Chroma, concurrent reads of a collection",
    noticed: "answers with a warning that not everything was searched",
    ways: [quota("chromaReads", (value) => `Chroma, quota increase: ${value} concurrent reads of a collection`)],
    otherwise: "a Chroma server of your own",
  },
  chroma_writes: {
    label: "Chroma, concurrent writes of a collection",
    noticed: "new incidents are found by keyword only, until the outbox has written them",
    ways: [quota("chromaWrites", (value) => `Chroma, quota increase: ${value} concurrent writes of a collection`)],
    otherwise: "a Chroma server of your own",
  },
  embedding_requests: {
    label: "Workers AI, embeddings a minute",
    noticed: "answers are found by keyword only, and new incidents are indexed later",
    ways: [quota("embeddingRequestsPerMinute", (value) => `Cloudflare, limit increase: ${value} requests a minute`)],
    otherwise: "another embedder, such as EMBEDDING_MODEL = openai-compatible:…",
  },
  requests_of_a_token: {
    label: "requests of a token in a location",
    noticed: "senders get 429 and deliver with the next notification, minutes later",
    ways: [largerRateLimit],
    otherwise: "a token for each team",
  },
  waiting_incidents_of_a_token: {
    label: "waiting incidents of a token",
    noticed: "senders get 503 and deliver again when the queue has room",
    ways: [],
    otherwise: "a token for each team, or a higher MAX_WAITING_INCIDENTS: run again with --tokens",
  },
};
