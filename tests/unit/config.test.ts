import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerModel, type Environment, readConfig } from "../../functions/config.ts";
import { MINIMAL, refusal } from "./config-samples.ts";

describe("defaults", () => {
  it("fills in every tunable that is not set", () => {
    expect(readConfig(MINIMAL)).toEqual({
      ...MINIMAL,
      TOKEN_CACHE_SECONDS: 60,
      CORS_ORIGINS: [],
      POSTGRES_TIMEOUT_MS: 2_000,
      CHROMA_TENANT: "default_tenant",
      CHROMA_DATABASE: "default_database",
      CHROMA_TIMEOUT_MS: 2_000,
      EMBEDDING_DIMENSIONS: 512,
      EMBEDDINGS_TIMEOUT_MS: 2_000,
      EMBEDDING_BATCH_SIZE: 32,
      CHUNK_SIZE: 400,
      CHUNK_OVERLAP: 50,
      RUNBOOK_RECALL_LIMIT: 5,
      TOP_K: 3,
      INCIDENT_RECALL_LIMIT: 6,
      SEARCH_CANDIDATES: 30,
      INCIDENT_MAX_DISTANCE: 1.5,
      MEMORY_RECALL_LIMIT: 3,
      SESSION_BOOST: 0.2,
      TIME_DECAY_HALFLIFE_DAYS: 365,
      RELEVANCE_UNRELATED: 0.6,
      RELEVANCE_CLOSE: 0.9,
      GROUNDING_THRESHOLD: 0.5,
      RERANKER: "none",
      RERANK_TIMEOUT_MS: 2_000,
      RERANK_CANDIDATES: 9,
      MODEL_JSON: "schema",
      MODEL_MAX_OUTPUT_TOKENS: 4_096,
      TRIAGE_BUDGET_MS: 25_000,
      CONFIDENCE_THRESHOLD: 0.5,
      AGENT_RETRIES: 5,
      EPISODIC_CONTEXT_TURNS: 5,
      LOG_CONTEXT_LENGTH: 8_000,
      STREAM_HEARTBEAT_MS: 10_000,
      PROCEDURAL_THRESHOLD: 0.7,
      PROCEDURE_DECAY_DAYS: 90,
      SESSION_IDLE_HOURS: 24,
      SESSION_COMPRESS_THRESHOLD: 20,
      SWEEP_AFTER_SECONDS: 300,
      MAX_TRIAGE_ATTEMPTS: 3,
      RETENTION_DAYS: 90,
      SLACK_RESPONSE_ORIGIN: "https://hooks.slack.com",
      SLACK_API_URL: "https://slack.com/api",
      SLACK_TIMEOUT_MS: 2_000,
      ALERT_GROUP_WINDOW_SECONDS: 300,
      LOG_LEVEL: "info",
      OTLP_HEADERS: {},
      OTLP_TIMEOUT_MS: 5_000,
      TRACE_PROJECT: "dejavu",
      OPENINFERENCE_HIDE_INPUTS: false,
      OPENINFERENCE_HIDE_OUTPUTS: false,
      PHOENIX_TIMEOUT_MS: 2_000,
      MEMORY_WRITE_TIMEOUT_MS: 8_000,
      OUTBOX_BATCH_SIZE: 10,
      OUTBOX_LEASE_SECONDS: 60,
      IDEMPOTENCY_LEASE_SECONDS: 60,
      MAX_BODY_BYTES: 1_048_576,
    });
  });

  it("reads numbers from the strings that an environment holds", () => {
    const config = readConfig({
      ...MINIMAL,
      CHUNK_SIZE: "300",
      INCIDENT_MAX_DISTANCE: "1.2",
      GROUNDING_THRESHOLD: "0",
    });
    expect([config.CHUNK_SIZE, config.INCIDENT_MAX_DISTANCE, config.GROUNDING_THRESHOLD]).toEqual([300, 1.2, 0]);
  });

  it("reads the collector's headers as OpenTelemetry writes them", () => {
    const given = "Authorization=Bearer%20abc%3D, x-tenant=dejavu=1,";
    expect(readConfig({ ...MINIMAL, OTLP_HEADERS: given }).OTLP_HEADERS).toEqual({
      authorization: "Bearer abc=",
      "x-tenant": "dejavu=1",
    });
  });

  it("ignores names that are not ours", () => {
    expect(Object.keys(readConfig({ ...MINIMAL, PATH: "/bin", OUTBOX_QUEUE: {} }))).not.toContain("PATH");
  });

  it.each([
    "DEJAVU_TOKEN",
    "CHROMA_API_KEY",
    "EMBEDDINGS_API_KEY",
    "RERANK_API_KEY",
    "ANTHROPIC_API_KEY",
    "MODEL_API_KEY",
    "SLACK_SIGNING_SECRET",
    "GRAFANA_WEBHOOK_SECRET",
    "PAGERDUTY_WEBHOOK_SECRET",
    "PHOENIX_API_KEY",
  ] as const)("takes a blank %s for one that is not set, and trims one that is", (name) => {
    expect(readConfig({ ...MINIMAL, [name]: "  " })[name]).toBeUndefined();
    expect(readConfig({ ...MINIMAL, [name]: " 0123456789abcdef\n" })[name]).toBe("0123456789abcdef");
  });

  it("needs no embeddings URL for Workers AI", () => {
    const { EMBEDDINGS_URL: _, ...rest } = MINIMAL;
    expect(
      readConfig({ ...rest, EMBEDDING_MODEL: "workers-ai:@cf/baai/bge-base-en-v1.5" }).EMBEDDINGS_URL,
    ).toBeUndefined();
  });
});

describe("contradictions", () => {
  it.each([
    ["CHUNK_OVERLAP", "CHUNK_SIZE", { CHUNK_SIZE: "100", CHUNK_OVERLAP: "100" }],
    ["CHUNK_OVERLAP", "CHUNK_SIZE", { CHUNK_SIZE: "50" }],
    ["SEARCH_CANDIDATES", "RUNBOOK_RECALL_LIMIT", { SEARCH_CANDIDATES: "9", RUNBOOK_RECALL_LIMIT: "10" }],
    ["SEARCH_CANDIDATES", "INCIDENT_RECALL_LIMIT", { SEARCH_CANDIDATES: "5" }],
    [
      "OUTBOX_LEASE_SECONDS",
      "MEMORY_WRITE_TIMEOUT_MS",
      { OUTBOX_LEASE_SECONDS: "10", MEMORY_WRITE_TIMEOUT_MS: "10001" },
    ],
    [
      "OUTBOX_LEASE_SECONDS",
      "PHOENIX_TIMEOUT_MS",
      { PHOENIX_URL: "http://127.0.0.1:6006", OUTBOX_LEASE_SECONDS: "10", PHOENIX_TIMEOUT_MS: "10000" },
    ],
    ["EMBEDDING_MODEL", "EMBEDDINGS_URL", { EMBEDDINGS_URL: undefined }],
    ["SEARCH_CANDIDATES", "TOP_K", { SEARCH_CANDIDATES: "9", TOP_K: "10", RERANK_CANDIDATES: "10" }],
    ["RERANK_CANDIDATES", "TOP_K", { RERANK_CANDIDATES: "2" }],
    ["RERANK_CANDIDATES", "TOP_K", { TOP_K: "10" }],
    ["RERANKER", "RERANK_URL", { RERANKER: "http:bge-reranker-v2-m3" }],
    ["RELEVANCE_UNRELATED", "RELEVANCE_CLOSE", { RELEVANCE_UNRELATED: "0.7", RELEVANCE_CLOSE: "0.7" }],
    ["RELEVANCE_UNRELATED", "RELEVANCE_CLOSE", { RELEVANCE_UNRELATED: "0.91" }],
    ["RELEVANCE_UNRELATED", "RELEVANCE_CLOSE", { RELEVANCE_CLOSE: "0.5" }],
    ["MODEL", "MODEL_BASE_URL", { MODEL: "openai-compatible:qwen3" }],
    ["SMALL_MODEL", "MODEL_BASE_URL", { MODEL: "workers-ai:@cf/x", SMALL_MODEL: "openai-compatible:qwen3" }],
    ["IDEMPOTENCY_LEASE_SECONDS", "TRIAGE_BUDGET_MS", { IDEMPOTENCY_LEASE_SECONDS: "25" }],
    ["IDEMPOTENCY_LEASE_SECONDS", "TRIAGE_BUDGET_MS", { TRIAGE_BUDGET_MS: "60000" }],
    ["SWEEP_AFTER_SECONDS", "TRIAGE_BUDGET_MS", { SWEEP_AFTER_SECONDS: "30", TRIAGE_BUDGET_MS: "30000" }],
    ["SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET", { SLACK_BOT_TOKEN: "xoxb-1" }],
    [
      "SLACK_SIGNING_SECRET",
      "TRIAGE_BUDGET_MS",
      { SLACK_SIGNING_SECRET: "0123456789abcdef", TRIAGE_BUDGET_MS: "26001" },
    ],
    [
      "SLACK_SIGNING_SECRET",
      "SLACK_TIMEOUT_MS",
      { SLACK_SIGNING_SECRET: "0123456789abcdef", SLACK_TIMEOUT_MS: "3001" },
    ],
    ["OTLP_TIMEOUT_MS", "POSTGRES_TIMEOUT_MS", { OTLP_ENDPOINT: "http://127.0.0.1:4318", OTLP_TIMEOUT_MS: "28001" }],
    [
      "SWEEP_AFTER_SECONDS",
      "TRIAGE_BUDGET_MS",
      { SWEEP_AFTER_SECONDS: "60", TRIAGE_BUDGET_MS: "120000", IDEMPOTENCY_LEASE_SECONDS: "200" },
    ],
  ])("refuses %s against %s and names both: %j", (one, other, changes) => {
    expect(refusal(changes)).toContain(one);
    expect(refusal(changes)).toContain(other);
  });

  it("names every contradiction at once", () => {
    const message = refusal({
      CHUNK_SIZE: "20",
      SEARCH_CANDIDATES: "1",
      EMBEDDINGS_URL: undefined,
      RELEVANCE_CLOSE: "0",
      SWEEP_AFTER_SECONDS: "30",
      TRIAGE_BUDGET_MS: "40000",
      MODEL: "openai-compatible:qwen3",
    });
    for (const name of [
      "CHUNK_SIZE",
      "RUNBOOK_RECALL_LIMIT",
      "INCIDENT_RECALL_LIMIT",
      "EMBEDDINGS_URL",
      "RELEVANCE_UNRELATED",
      "SWEEP_AFTER_SECONDS",
      "MODEL_BASE_URL",
    ]) {
      expect(message).toContain(name);
    }
  });

  it.each([
    { CHUNK_SIZE: "51", CHUNK_OVERLAP: "50" },
    { SEARCH_CANDIDATES: "6" },
    { RELEVANCE_UNRELATED: "0.899" },
    { RELEVANCE_UNRELATED: "0", RELEVANCE_CLOSE: "1" },
    { OUTBOX_LEASE_SECONDS: "10", MEMORY_WRITE_TIMEOUT_MS: "10000" },
    { OUTBOX_LEASE_SECONDS: "10", PHOENIX_TIMEOUT_MS: "10000" },
    { PHOENIX_URL: "http://127.0.0.1:6006", OUTBOX_LEASE_SECONDS: "10", PHOENIX_TIMEOUT_MS: "9999" },
    { OTLP_ENDPOINT: "http://127.0.0.1:4318", OTLP_TIMEOUT_MS: "28000" },
    { OTLP_TIMEOUT_MS: "120000" },
    { RERANK_CANDIDATES: "3" },
    { RERANKER: "http:m", RERANK_URL: "http://127.0.0.1:8012/v1" },
    { RERANKER: " none ", RERANK_URL: undefined },
    { RERANKER: "workers-ai:@cf/baai/bge-reranker-base" },
    { TRIAGE_BUDGET_MS: "10" },
    { SWEEP_AFTER_SECONDS: "30", TRIAGE_BUDGET_MS: "29999" },
    { MODEL: "openai-compatible:qwen3", MODEL_BASE_URL: "http://127.0.0.1:11434/v1" },
    { SMALL_MODEL: "anthropic:claude-haiku-4-5", ANTHROPIC_API_KEY: "key" },
    { MODEL: "workers-ai:@cf/x", SMALL_MODEL: "workers-ai:@cf/y" },
    { MODEL: "none", ANTHROPIC_API_KEY: "key" },
    { SLACK_SIGNING_SECRET: "0123456789abcdef", SLACK_BOT_TOKEN: "xoxb-1" },
    { SLACK_SIGNING_SECRET: "0123456789abcdef", TRIAGE_BUDGET_MS: "26000" },
  ])("accepts the very edge: %j", (changes) => {
    expect(refusal(changes)).toBe("accepted");
  });
});

describe("the model that writes answers", () => {
  const modelOf = (changes: Environment) => answerModel(readConfig({ ...MINIMAL, ...changes }));

  it("is none where neither a model nor a key is given", () => {
    expect(modelOf({})).toBeUndefined();
  });

  it("is Anthropic's small one where there is a key", () => {
    expect(modelOf({ ANTHROPIC_API_KEY: "key" })).toBe("anthropic:claude-haiku-4-5");
    expect(modelOf({ ANTHROPIC_API_KEY: "  " })).toBeUndefined();
  });

  it("is the one that is configured, key or no key", () => {
    const model = "workers-ai:@cf/meta/llama-3.3-70b-instruct-fp8-fast";
    expect(modelOf({ MODEL: ` ${model} ` })).toBe(model);
    expect(modelOf({ MODEL: model, ANTHROPIC_API_KEY: "key" })).toBe(model);
  });

  it("is none where answers are to be quoted only, whatever keys there are", () => {
    expect(modelOf({ MODEL: "none", ANTHROPIC_API_KEY: "key" })).toBeUndefined();
  });

  it.each(["1/0.1/5", "0/0/0", "10.25/1.025/50.5"])("may cost %s", (price) => {
    expect(readConfig({ ...MINIMAL, MODEL_PRICE: price, SMALL_MODEL_PRICE: price })).toMatchObject({
      MODEL_PRICE: price,
      SMALL_MODEL_PRICE: price,
    });
  });

  it("has no limit a day unless one is given, which may be 0", () => {
    expect(readConfig(MINIMAL).DAILY_TOKEN_BUDGET).toBeUndefined();
    expect(readConfig({ ...MINIMAL, DAILY_TOKEN_BUDGET: "0" }).DAILY_TOKEN_BUDGET).toBe(0);
  });
});

describe("the token", () => {
  it.each(["0123456789abcdef", "AZaz09._~+/-AZaz", "0123456789abcdef=", "0123456789abcdef==", "x".repeat(512)])(
    "may be %j",
    (token) => {
      expect(readConfig({ ...MINIMAL, DEJAVU_TOKEN: token }).DEJAVU_TOKEN).toBe(token);
    },
  );

  it.each([
    ["too short", "0123456789abcde"],
    ["too short without its end", "0123456789abcde="],
    ["too short when trimmed", "  0123456789abcde  "],
    ["an equals sign before the end", "0123456789=abcdef"],
    ["a space", "01234567 89abcdef"],
    ["a line end", "01234567\n89abcdef"],
    ["a colon", "01234567:89abcdef"],
    ["a quote", '"0123456789abcdef"'],
    ["a letter that a header cannot carry", "0123456789abcdefé"],
    ["a NUL", "0123456789abcdef\0"],
  ])("is refused for %s", (_fault, token) => {
    expect(refusal({ DEJAVU_TOKEN: token })).toContain("DEJAVU_TOKEN: must be 16 to 512 letters");
    expect(refusal({ DEJAVU_TOKEN: token })).not.toContain(token.trim());
  });

  it("is never printed, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }), (a, b) => {
        const message = refusal({ DEJAVU_TOKEN: `${a}pl4nted s3cret${b}` });
        expect(message).toContain("DEJAVU_TOKEN");
        expect(message).not.toMatch(/pl4nted|s3cret/);
      }),
    );
  });
});

describe("the origins of web pages", () => {
  it("are a list between commas", () => {
    const list = " https://grafana.example.com, http://localhost:5173 ,";
    expect(readConfig({ ...MINIMAL, CORS_ORIGINS: list }).CORS_ORIGINS).toEqual([
      "https://grafana.example.com",
      "http://localhost:5173",
    ]);
  });

  it.each([
    "*",
    "null",
    "grafana.example.com",
    "https://grafana.example.com/",
    "https://grafana.example.com/path",
    "https://*.example.com",
    "https://Grafana.example.com",
    "https://user@grafana.example.com",
    "https://grafana.example.com:443",
    "ftp://grafana.example.com",
    "https://",
    "https://a.example https://b.example",
    "https://good.example, *",
  ])("are refused where one is %s", (list) => {
    expect(refusal({ CORS_ORIGINS: list })).toContain("must be origins such as https://grafana.example.com");
    expect(refusal({ CORS_ORIGINS: list })).toContain("CORS_ORIGINS");
  });
});

describe("URLs", () => {
  const names = [
    "SUPABASE_URL",
    "CHROMA_URL",
    "EMBEDDINGS_URL",
    "RERANK_URL",
    "ANTHROPIC_BASE_URL",
    "MODEL_BASE_URL",
    "SLACK_RESPONSE_ORIGIN",
    "SLACK_API_URL",
  ] as const;
  const wrong = [
    "localhost:8000",
    "//localhost:8000",
    "http:localhost:8000",
    "http://",
    "ftp://localhost",
    "ws://localhost",
    "postgres://localhost/postgres",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "xhttp://localhost",
    "httpx://localhost",
  ];

  it.each(names.flatMap((name) => wrong.map((url) => [name, url] as const)))("refuse %s=%s", (name, url) => {
    expect(refusal({ [name]: url })).toContain(`${name}: must be a URL that begins with http:// or https://`);
  });

  it.each(names.flatMap((name) => ["http", "https"].map((protocol) => [name, protocol] as const)))(
    "accept for %s the protocol %s",
    (name, protocol) => {
      const url = `${protocol}://store.example:8000`;
      expect(readConfig({ ...MINIMAL, [name]: url })[name]).toBe(url);
    },
  );

  it.each(
    ["CHROMA_URL", "SLACK_RESPONSE_ORIGIN"].flatMap((name) =>
      ["http://localhost:8000/api", "http://localhost:8000/api/v2/", "https://store.example//"].map((url) => [
        name,
        url,
      ]),
    ),
  )("refuse a path in %s: %s", (name = "", url) => {
    expect(refusal({ [name]: url })).toContain(`${name}: must not have a path`);
  });

  it("accept the bare slash in CHROMA_URL, and a path in the others", () => {
    expect(
      refusal({
        CHROMA_URL: "http://localhost:8000/",
        SUPABASE_URL: "http://localhost:54321/project",
        EMBEDDINGS_URL: "http://localhost:8001/v1",
        ANTHROPIC_BASE_URL: "https://gateway.example/anthropic/v1",
        MODEL_BASE_URL: "http://127.0.0.1:11434/v1",
      }),
    ).toBe("accepted");
  });
});
