// The composition root: reads the environment, chooses the adapters and connects the services.

// Of the same version as the Worker, and a tenth of its size: the bundle contains the whole file.
import clientJson from "../client/package.json" with { type: "json" };
import { isLocalHost } from "../lib/links/local-hosts.ts";
import { NAME_RULES_VERSION } from "../lib/pseudonyms/find-names.ts";
import { hiddenAddresses } from "../lib/redaction/personal/ip-addresses.ts";
import { createRedact } from "../lib/redaction/redact.ts";
import { TOKENIZER_VERSION } from "../lib/text/tokenize.ts";
import { type Access, accessSettings, createAccess } from "./access/create-access.ts";
import type { Annotations } from "./adapters/annotations.ts";
import { createCachedEmbedder } from "./adapters/cached-embedder.ts";
import { type ChromaCache, createChromaCache, createChromaStore } from "./adapters/chroma.ts";
import { createDatabase } from "./adapters/database.ts";
import type { Embedder, EmbedderOptions } from "./adapters/embedder.ts";
import { EVIDENCE_CLIENTS } from "./adapters/evidence/clients.ts";
import { fetchDirect } from "./adapters/http/fetch-direct.ts";
import { createHttpReranker } from "./adapters/http-reranker.ts";
import type { LanguageModel, TokenPrice } from "./adapters/language-model.ts";
import { MODEL_PROVIDERS } from "./adapters/model-providers/index.ts";
import { createOpenAiEmbedder } from "./adapters/openai-embedder.ts";
import { createOtlpExporter } from "./adapters/otlp-exporter.ts";
import { createPhoenix } from "./adapters/phoenix.ts";
import {
  createPseudonymousEmbedder,
  createPseudonymousModel,
  createPseudonymousReranker,
} from "./adapters/pseudonymised.ts";
import { createRateLimiter, type RateLimiter } from "./adapters/rate-limiter.ts";
import type { Reranker } from "./adapters/reranker.ts";
import { restrictVectorStore } from "./adapters/restricted-vector-store.ts";
import { createSlack, type Slack } from "./adapters/slack.ts";
import { createSns } from "./adapters/sns.ts";
import type { TopicService } from "./adapters/topic-service.ts";
import type { VectorStore } from "./adapters/vector-store.ts";
import { createWordEmbedder } from "./adapters/word-embedder.ts";
import { type AiBinding, createWorkersAiEmbedder, createWorkersAiReranker } from "./adapters/workers-ai-models.ts";
import { setBounded } from "./bounded-map.ts";
import type { Internals } from "./config/internals.ts";
import { answerModel, type Config, ConfigError, type Environment, readConfig } from "./config.ts";
import { settle } from "./dependencies.ts";
import { createEvidenceSources } from "./evidence-sources/create-evidence-sources.ts";
import { environmentSources } from "./evidence-sources/environment-sources.ts";
import { createGuard } from "./incidents/guard-request.ts";
import { readCalibration } from "./investigation/relevance/calibration-records.ts";
import {
  RELEVANCE_MODEL_FINGERPRINT,
  RELEVANCE_MODELS,
  type RelevanceModels,
} from "./investigation/relevance/relevance-model.ts";
import { createCalibrationStore } from "./investigation/run/calibration-store.ts";
import type { InvestigationServices, Models } from "./investigation/run/investigation-services.ts";
import { createQueryCache } from "./investigation/run/query-cache.ts";
import { createWriteBuffer } from "./jobs/buffered-writes.ts";
import { createEnqueueRuns, createScheduleOutboxDrain } from "./jobs/queues.ts";
import { createDomainStore, domainCatalog, readDomains } from "./knowledge/domain-store.ts";
import { createNotifications } from "./notifications/create-notifications.ts";
import { NOTIFICATION_TIMEOUT_MS } from "./notifications/deliver.ts";
import type { NotificationTargets } from "./notifications/notification-services.ts";
import { createConsoleLog, type Log } from "./telemetry/log.ts";
import { countDroppedSpans } from "./telemetry/read-metrics.ts";
import { createTracer } from "./telemetry/trace-recorder.ts";
import type { Tracer } from "./telemetry/trace-types.ts";
import { type StartTimer, startRealTimer } from "./timers.ts";
import { createPendingReplies, restrictWriteBuffer } from "./write-buffer.ts";

/** Files that are deployed beside the Worker. */
export interface StaticFiles {
  fetch(request: Request): Promise<Response>;
}

export interface Services extends InvestigationServices, Access {
  readonly notificationTargets: NotificationTargets;
  readonly restrictedTo: (domains: readonly string[]) => Services;
  readonly version: string;
  /** Names of the products behind the roles, for `GET /health/ready`. */
  readonly vendors: { readonly database: string; readonly vectorStore: string; readonly embedder: string };
  /** Rate limits by caller. */
  readonly limits: { readonly requests: RateLimiter; readonly triages: RateLimiter };
  /** Cryptographically secure random bytes. */
  readonly randomBytes: (count: number) => Uint8Array;
  /** Null on a host without static files. */
  readonly staticFiles: StaticFiles | null;
  readonly slack: Slack;
  readonly topics: TopicService;
  /** The embedder without its cache, for health checks. */
  readonly embeddings: Embedder;
}

export interface ServiceOverrides {
  readonly now?: () => Date;
  readonly startTimer?: StartTimer;
  readonly newId?: () => string;
  readonly log?: Log;
  /** Models to measure, in place of those that ship. */
  readonly relevanceModels?: RelevanceModels;
  /** Sends the requests to the service of topics, for tests. */
  readonly fetchTopics?: typeof fetch;
  /** Internal figures, for tests and commands. */
  readonly internals?: Partial<Internals>;
}

/** The log of failures that occur before the services exist. */
export const startLog: Log = createConsoleLog(() => new Date(), "info");

/** What the adapters are made of. */
interface Setup {
  readonly config: Config;
  readonly environment: Environment;
  readonly startTimer: StartTimer;
}

/** @throws ConfigError */
export function createServices(environment: Environment, overrides: ServiceOverrides = {}): Services {
  const config = readConfig(environment, overrides.internals);
  const redact = createRedact(hiddenAddresses(config.REDACT_PRIVATE_ADDRESSES));
  const { now = () => new Date(), startTimer = startRealTimer, newId = () => crypto.randomUUID() } = overrides;
  const setup = { config, environment, startTimer };
  const log = overrides.log ?? createConsoleLog(now, config.LOG_LEVEL);
  const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));
  const limiter = (name: string) =>
    createRateLimiter(environment[name], startTimer, () => log("warn", "rate_limit.failed", { binding: name }));
  const chromaCache = createChromaCache();
  const storesOf = (domains: readonly string[] | null) => createStores(setup, { domains, chromaCache });
  const stores = storesOf(null);
  const scheduleOutboxDrain = createScheduleOutboxDrain(environment.OUTBOX_QUEUE, log);
  const services: Services = {
    ...stores,
    domains: createDomainStore(),
    restriction: null,
    restrictedTo: createRestriction(() => services, storesOf),
    calibrations: createCalibrationStore(() => readCalibration(stores.database, RELEVANCE_MODEL_FINGERPRINT)),
    queryCache: createQueryCache(config.EVIDENCE_REUSE_MS, startTimer),
    relevanceModels: overrides.relevanceModels ?? RELEVANCE_MODELS,
    config,
    redact,
    guard: createGuard(redact),
    now,
    startTimer,
    newId,
    randomBytes,
    log,
    version: clientJson.version,
    vendors: {
      database: "PostgreSQL",
      vectorStore: "Chroma",
      embedder: embedderVendor(config),
    },
    ...createAccess({
      ...accessSettings(config),
      database: stores.database,
      backgroundDatabase: stores.background.database,
      limitFailures: limiter("FAILED_AUTH_RATE_LIMIT"),
      now,
      newId,
      randomBytes,
    }),
    limits: { requests: limiter("RATE_LIMIT"), triages: limiter("TRIAGE_RATE_LIMIT") },
    staticFiles: isStaticFiles(environment.ASSETS) ? environment.ASSETS : null,
    slack: createConfiguredSlack(setup),
    topics: createSns({
      timeoutMs: config.DEPENDENCY_TIMEOUT_MS,
      startTimer,
      fetch: overrides.fetchTopics ?? fetchDirect,
    }),
    tracer: createSpanTracer(setup, { now, randomBytes, log, redact, database: stores.background.database }),
    annotations: createAnnotations(setup),
    models: createModels(setup),
    reranker: createConfiguredReranker(setup),
    scheduleOutboxDrain,
    ...createNotifications({
      database: stores.background.database,
      environment,
      now,
      log,
      random: Math.random,
      scheduleOutboxDrain,
      transport: {
        timeoutMs: NOTIFICATION_TIMEOUT_MS,
        startTimer,
        now,
        slack: { apiUrl: config.SLACK_API_URL, botToken: config.SLACK_BOT_TOKEN },
        origin: config.PUBLIC_URL ?? null,
      },
    }),
    enqueueRuns: createEnqueueRuns(environment.TRIAGE_QUEUE, log),
    writeBuffer: createWriteBuffer(environment.WRITE_QUEUE, log, startTimer),
    pendingReplies: createPendingReplies(now),
  };
  return services;
}

/** Sets of domains whose services an isolate keeps. */
const MAX_RESTRICTIONS = 100;

/** Restricts services to domains: the stores return nothing of others, and for the caller no others exist. */
function createRestriction(
  unrestricted: () => Services,
  createRestrictedStores: (domains: readonly string[]) => Stores,
): Services["restrictedTo"] {
  // By the set of domains; bounded, and as long-lived as the isolate.
  const restricted = new Map<string, Services>();
  return (names) => {
    const domains = [...names].sort();
    const key = domains.join(" ");
    const cached = restricted.get(key);
    if (cached) return cached;
    const all = unrestricted();
    const services: Services = {
      ...all,
      ...createRestrictedStores(domains),
      // Questions are cached by their text alone.
      embedder: all.embedder,
      writeBuffer: restrictWriteBuffer(all.writeBuffer, domains),
      domains: createDomainStore(domains),
      restriction: {
        domains,
        readAll: () => readDomains(all.domains, { database: all.database, now: all.now() }),
        catalogOfAll: () => domainCatalog(all),
      },
    };
    setBounded(restricted, key, services, MAX_RESTRICTIONS);
    return services;
  };
}

type Stores = Pick<Services, "database" | "embeddings" | "embedder" | "vectors" | "background" | "evidenceSources">;

/** The timeout of one call during a triage: five calls one after another and a reranking must fit into its budget. */
function callTimeoutMs({ DEPENDENCY_TIMEOUT_MS, TRIAGE_BUDGET_MS }: Config): number {
  return Math.min(DEPENDENCY_TIMEOUT_MS, Math.floor(TRIAGE_BUDGET_MS / 6));
}

function createStores(
  setup: Setup,
  {
    domains,
    chromaCache,
  }: {
    /** The domains that the callers are restricted to; null for all. */
    readonly domains: readonly string[] | null;
    /** One for all callers of an isolate: collections have no owner, and a cache of its own would list them anew. */
    readonly chromaCache: ChromaCache;
  },
): Stores {
  const { config, environment, startTimer } = setup;
  const timeoutMs = callTimeoutMs(config);
  const backgroundTimeoutMs = config.MEMORY_WRITE_TIMEOUT_MS;
  const embeddings = createEmbedder(setup, { timeoutMs });
  const supabase = { url: config.SUPABASE_URL, serviceRoleKey: config.SUPABASE_SERVICE_ROLE_KEY, startTimer, domains };
  const within = (store: VectorStore) => (domains === null ? store : restrictVectorStore(store, domains));
  const chroma = {
    url: config.CHROMA_URL,
    apiKey: config.CHROMA_API_KEY,
    tenant: config.CHROMA_TENANT,
    database: config.CHROMA_DATABASE,
    fingerprint: indexFingerprint(config, embeddings),
    cache: chromaCache,
    startTimer,
    random: Math.random,
  };
  return {
    database: createDatabase({ ...supabase, timeoutMs }),
    embeddings,
    // Caches questions only: every document has a text of its own and would evict them.
    embedder: isBuiltIn(config) ? embeddings : createCachedEmbedder(embeddings, timeoutMs, startTimer),
    vectors: within(createChromaStore({ ...chroma, timeoutMs })),
    evidenceSources: createEvidenceSources(
      { fixed: environmentSources(config), clients: EVIDENCE_CLIENTS, environment, startTimer },
      domains,
    ),
    background: {
      database: createDatabase({ ...supabase, timeoutMs: backgroundTimeoutMs }),
      embedder: createEmbedder(setup, { timeoutMs: backgroundTimeoutMs, isBackground: true }),
      vectors: within(createChromaStore({ ...chroma, timeoutMs: backgroundTimeoutMs })),
    },
  };
}

/** Identifies how vectors and keyword terms were made; after a change they must be made again. */
function indexFingerprint(config: Config, embedder: Pick<Embedder, "model" | "dimensions">): string {
  const chunks = `chunk ${config.CHUNK_SIZE}/${config.CHUNK_OVERLAP}`;
  const names = config.PSEUDONYMISE && !isBuiltIn(config) ? ` names hidden ${NAME_RULES_VERSION}` : "";
  const types = inputTypesOf(config);
  const inputs = types === undefined ? "" : ` input types ${types.query}/${types.document}`;
  return `${embedder.model}/${embedder.dimensions} ${chunks} terms ${TOKENIZER_VERSION}${names}${inputs}`;
}

/** Undefined where the embedder gets none. */
function inputTypesOf(config: Config): { readonly query: string; readonly document: string } | undefined {
  const [query, document] = config.EMBEDDINGS_INPUT_TYPE.split("/");
  if (!config.EMBEDDING_MODEL.startsWith("openai-compatible:") || query === undefined || document === undefined)
    return undefined;
  return { query, document };
}

function createConfiguredSlack({ config, startTimer }: Setup): Slack {
  return createSlack({
    apiUrl: config.SLACK_API_URL,
    botToken: config.SLACK_BOT_TOKEN,
    timeoutMs: config.DEPENDENCY_TIMEOUT_MS,
    startTimer,
  });
}

function createAnnotations({ config, startTimer }: Setup): Annotations | null {
  if (config.PHOENIX_URL === undefined) return null;
  return createPhoenix({
    url: config.PHOENIX_URL,
    apiKey: config.PHOENIX_API_KEY,
    timeoutMs: config.DEPENDENCY_TIMEOUT_MS,
    startTimer,
  });
}

function isBuiltIn({ EMBEDDING_MODEL }: Config): boolean {
  return EMBEDDING_MODEL === "built-in";
}

function embedderVendor(config: Config): string {
  if (isBuiltIn(config)) return "built-in";
  return config.EMBEDDING_MODEL.startsWith("workers-ai:") ? "Cloudflare Workers AI" : "OpenAI-compatible";
}

type EmbedderCall = Pick<EmbedderOptions, "timeoutMs" | "isBackground">;

function createEmbedder(setup: Setup, call: EmbedderCall): Embedder {
  // No text leaves the Worker.
  if (isBuiltIn(setup.config)) return createWordEmbedder();
  const embedder = createVendorEmbedder(setup, call);
  return setup.config.PSEUDONYMISE ? createPseudonymousEmbedder(embedder) : embedder;
}

/**
 * Texts in one embedding request. A server on a private network may need half a second for a long chunk, and a request must
 * end well within MEMORY_WRITE_TIMEOUT_MS.
 */
const EMBEDDING_BATCH_SIZE = 32;
const LOCAL_EMBEDDING_BATCH_SIZE = 8;

function createVendorEmbedder({ config, environment, startTimer }: Setup, call: EmbedderCall): Embedder {
  const [provider] = config.EMBEDDING_MODEL.split(":", 1);
  const options = {
    model: config.EMBEDDING_MODEL.slice(`${provider}:`.length),
    dimensions: config.EMBEDDING_DIMENSIONS,
    startTimer,
    ...call,
  };
  if (provider === "workers-ai") {
    if (!isAiBinding(environment.AI))
      throw new ConfigError("EMBEDDING_MODEL is workers-ai, but there is no binding named AI.");
    return createWorkersAiEmbedder({ ...options, batchSize: EMBEDDING_BATCH_SIZE }, environment.AI);
  }
  const baseUrl = config.EMBEDDINGS_URL ?? "";
  return createOpenAiEmbedder({
    ...options,
    batchSize: isLocalHost(new URL(baseUrl).hostname) ? LOCAL_EMBEDDING_BATCH_SIZE : EMBEDDING_BATCH_SIZE,
    baseUrl,
    apiKey: config.EMBEDDINGS_API_KEY,
    inputTypes: inputTypesOf(config),
  });
}

function createConfiguredReranker(setup: Setup): Reranker | null {
  const reranker = createVendorReranker(setup);
  return reranker !== null && setup.config.PSEUDONYMISE ? createPseudonymousReranker(reranker) : reranker;
}

function createVendorReranker({ config, environment, startTimer }: Setup): Reranker | null {
  if (config.RERANKER === "none") return null;
  const timeoutMs = callTimeoutMs(config);
  const provider = config.RERANKER.slice(0, config.RERANKER.indexOf(":"));
  const options = { model: config.RERANKER.slice(provider.length + 1), timeoutMs, startTimer };
  if (provider === "workers-ai") {
    if (!isAiBinding(environment.AI))
      throw new ConfigError("RERANKER is workers-ai, but there is no binding named AI.");
    return createWorkersAiReranker(options, environment.AI);
  }
  return createHttpReranker({ ...options, baseUrl: config.RERANK_URL ?? "", apiKey: config.RERANK_API_KEY });
}

function createSpanTracer(
  { config, startTimer }: Setup,
  { now, randomBytes, log, redact, database }: Pick<Services, "now" | "randomBytes" | "log" | "redact" | "database">,
): Tracer {
  const exportRules = { hidesTexts: config.HIDE_TRACE_TEXTS, redact };
  if (config.OTLP_ENDPOINT === undefined) return createTracer(exportRules, null);
  const exporter = createOtlpExporter({
    endpoint: config.OTLP_ENDPOINT,
    headers: config.OTLP_HEADERS,
    timeoutMs: config.OTLP_TIMEOUT_MS,
    startTimer,
    serviceVersion: clientJson.version,
  });
  const onDropped = async (spans: number, error: string) => {
    log("debug", "traces.dropped", { spans, error });
    const counted = await settle(countDroppedSpans(database, spans));
    if (!counted.ok) log("debug", "traces.uncounted", { spans, error: counted.error.message });
  };
  return createTracer(exportRules, {
    exporter,
    project: config.TRACE_PROJECT,
    now,
    startTimer,
    randomBytes,
    onDropped,
  });
}

/** The configured models; null without a model, or without a key for Anthropic: answers are extractive then. */
function createModels(setup: Setup): Models | null {
  const { config } = setup;
  const name = answerModel(config);
  if (name === undefined) return null;
  const smallName = config.SMALL_MODEL ?? name;
  const answer = createModel(name, setup);
  const small = createModel(smallName, setup);
  if (answer === null || small === null) return null;
  const [ownPrice, ownSmallPrice] = (config.MODEL_PRICE ?? "").split(",").map(readPrice);
  const price = ownPrice ?? LIST_PRICES[name] ?? null;
  const smallPrice = ownSmallPrice ?? (smallName === name ? price : LIST_PRICES[smallName]) ?? null;
  return { answer: { model: answer, price }, small: { model: small, price: smallPrice } };
}

function createModel(name: string, setup: Setup): LanguageModel | null {
  const model = createVendorModel(name, setup);
  return model !== null && setup.config.PSEUDONYMISE ? createPseudonymousModel(model) : model;
}

function createVendorModel(name: string, { config, environment, startTimer }: Setup): LanguageModel | null {
  const provider = MODEL_PROVIDERS.find((each) => name.startsWith(`${each.name}:`));
  if (provider === undefined) return null;
  if (provider.needsAiBinding && !isAiBinding(environment.AI))
    throw new ConfigError(`A model is ${provider.name}, but there is no binding named AI.`);
  return provider.create(name.slice(provider.name.length + 1), config, { ai: environment.AI, startTimer });
}

/** List price of the default model, in US dollars for a million tokens. Prices of other models are settings. */
const LIST_PRICES: Readonly<Record<string, TokenPrice>> = {
  "anthropic:claude-haiku-4-5": { input: 1, cachedInput: 0.1, output: 5 },
};

function readPrice(price: string): TokenPrice | null {
  const [input, cachedInput, output] = price.split("/").map(Number);
  return input === undefined || cachedInput === undefined || output === undefined
    ? null
    : { input, cachedInput, output };
}

function isAiBinding(value: unknown): value is AiBinding {
  return typeof value === "object" && value !== null && "run" in value && typeof value.run === "function";
}

function isStaticFiles(value: unknown): value is StaticFiles {
  return typeof value === "object" && value !== null && "fetch" in value && typeof value.fetch === "function";
}
