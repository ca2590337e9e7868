import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { INTERNALS } from "../../functions/config/internals.ts";
import { answerModel, type Environment, readConfig } from "../../functions/config.ts";
import { MINIMAL, refusal } from "./config-samples.ts";

describe("defaults", () => {
  it("fills in every setting that is not set, and the internal figures", () => {
    expect(readConfig(MINIMAL)).toEqual({
      ...MINIMAL,
      ...INTERNALS,
      PSEUDONYMISE: false,
      CORS_ORIGINS: [],
      REDACT_PRIVATE_ADDRESSES: false,
      RETENTION_DAYS: 90,
      FIX_CHECK_HOURS: 24,
      CHROMA_TENANT: "default_tenant",
      CHROMA_DATABASE: "default_database",
      EMBEDDING_MODEL: "built-in",
      EMBEDDING_DIMENSIONS: 768,
      EMBEDDINGS_INPUT_TYPE: "none",
      MODEL_JSON: "schema",
      RERANKER: "none",
      DEPENDENCY_TIMEOUT_MS: 2_000,
      TRIAGE_BUDGET_MS: 25_000,
      ANSWER_THRESHOLD: 0.55,
      POSSIBLE_THRESHOLD: 0.3,
      ALERT_GROUP_WINDOW_SECONDS: 300,
      ALERT_GROUP_LABELS: ["cluster", "namespace", "team", "job"],
      MAX_WAITING_INCIDENTS: 500,
      SLACK_ALLOWED: [],
      SLACK_API_URL: "https://slack.com/api",
      LOG_LEVEL: "info",
      OTLP_HEADERS: {},
      TRACE_PROJECT: "dejavu",
      HIDE_TRACE_TEXTS: false,
    });
  });

  it("takes internal figures from overrides, and never from the environment", () => {
    expect(readConfig({ ...MINIMAL, AGENT_RETRIES: "9" }).AGENT_RETRIES).toBe(INTERNALS.AGENT_RETRIES);
    expect(readConfig(MINIMAL, { AGENT_RETRIES: 9 }).AGENT_RETRIES).toBe(9);
  });

  it("reads lists of Slack's ids, and rejects names of channels", () => {
    const config = readConfig({ ...MINIMAL, SLACK_ALLOWED: "T024BE7LD, E1,C1,,D2," });
    expect(config.SLACK_ALLOWED).toEqual(["T024BE7LD", "E1", "C1", "D2"]);
    for (const bad of ["#incidents", "C1 D2", "U024BE7LD"])
      expect(() => readConfig({ ...MINIMAL, SLACK_ALLOWED: bad })).toThrow(/SLACK_ALLOWED/);
  });

  it("reads numbers from the strings that an environment holds", () => {
    const config = readConfig({
      ...MINIMAL,
      EMBEDDING_DIMENSIONS: "300",
      ANSWER_THRESHOLD: "0.8",
      POSSIBLE_THRESHOLD: "0",
    });
    expect([config.EMBEDDING_DIMENSIONS, config.ANSWER_THRESHOLD, config.POSSIBLE_THRESHOLD]).toEqual([300, 0.8, 0]);
  });

  it("reads the collector's headers as OpenTelemetry writes them", () => {
    const headers = "Authorization=Bearer%20abc%3D, x-tenant=dejavu=1,";
    expect(readConfig({ ...MINIMAL, OTLP_HEADERS: headers }).OTLP_HEADERS).toEqual({
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
    const config = readConfig({ ...MINIMAL, EMBEDDING_MODEL: "workers-ai:@cf/baai/bge-base-en-v1.5" });
    expect(config.EMBEDDINGS_URL).toBeUndefined();
  });
});

describe("contradictions", () => {
  it.each([
    ["DEPENDENCY_TIMEOUT_MS", "60000", { PHOENIX_URL: "http://127.0.0.1:6006", DEPENDENCY_TIMEOUT_MS: "60000" }],
    ["EMBEDDING_MODEL", "EMBEDDINGS_URL", { EMBEDDING_MODEL: "openai-compatible:bge" }],
    ["RERANKER", "RERANK_URL", { RERANKER: "http:bge-reranker-v2-m3" }],
    ["POSSIBLE_THRESHOLD", "ANSWER_THRESHOLD", { ANSWER_THRESHOLD: "0.29" }],
    ["MODEL", "MODEL_BASE_URL", { MODEL: "openai-compatible:qwen3" }],
    ["SMALL_MODEL", "MODEL_BASE_URL", { MODEL: "workers-ai:@cf/x", SMALL_MODEL: "openai-compatible:qwen3" }],
    ["SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET", { SLACK_BOT_TOKEN: "xoxb-1" }],
    [
      "SLACK_SIGNING_SECRET",
      "TRIAGE_BUDGET_MS",
      { SLACK_SIGNING_SECRET: "0123456789abcdef", TRIAGE_BUDGET_MS: "26001" },
    ],
    [
      "SLACK_SIGNING_SECRET",
      "DEPENDENCY_TIMEOUT_MS",
      { SLACK_SIGNING_SECRET: "0123456789abcdef", DEPENDENCY_TIMEOUT_MS: "3001" },
    ],
    [
      "OTLP_ENDPOINT",
      "DEPENDENCY_TIMEOUT_MS",
      { OTLP_ENDPOINT: "http://127.0.0.1:4318", DEPENDENCY_TIMEOUT_MS: "25001" },
    ],
  ])("refuses %s against %s and names both: %j", (one, other, changes) => {
    expect(refusal(changes)).toContain(one);
    expect(refusal(changes)).toContain(other);
  });

  it("names every contradiction at once", () => {
    const message = refusal({
      EMBEDDING_MODEL: "openai-compatible:bge",
      ANSWER_THRESHOLD: "0",
      MODEL: "openai-compatible:qwen3",
    });
    for (const name of ["EMBEDDINGS_URL", "POSSIBLE_THRESHOLD", "MODEL_BASE_URL"]) {
      expect(message).toContain(name);
    }
  });

  it.each([
    { DEPENDENCY_TIMEOUT_MS: "120000" },
    { PHOENIX_URL: "http://127.0.0.1:6006", DEPENDENCY_TIMEOUT_MS: "59999" },
    { OTLP_ENDPOINT: "http://127.0.0.1:4318", DEPENDENCY_TIMEOUT_MS: "25000" },
    { RERANKER: "http:m", RERANK_URL: "http://127.0.0.1:8012/v1" },
    { RERANKER: " none ", RERANK_URL: undefined },
    { RERANKER: "workers-ai:@cf/baai/bge-reranker-base" },
    { TRIAGE_BUDGET_MS: "10" },
    { TRIAGE_BUDGET_MS: "59999" },
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

  it("is none with MODEL=none, also with a key", () => {
    expect(modelOf({ MODEL: "none", ANTHROPIC_API_KEY: "key" })).toBeUndefined();
  });

  it.each(["1/0.1/5", "0/0/0", "10.25/1.025/50.5", "10/1/50,1/0.1/5"])("may cost %s", (price) => {
    expect(readConfig({ ...MINIMAL, MODEL_PRICE: price })).toMatchObject({ MODEL_PRICE: price });
  });

  it("has a limit a day by default, which may be 0 or none", () => {
    expect(readConfig(MINIMAL).DAILY_TOKEN_BUDGET).toBeUndefined();
    expect(readConfig(MINIMAL).DEFAULT_DAILY_TOKEN_BUDGET).toBe(5_000_000);
    expect(readConfig({ ...MINIMAL, DAILY_TOKEN_BUDGET: "none" }).DAILY_TOKEN_BUDGET).toBe("none");
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

  it("is never printed", () => {
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
    ["CHROMA_URL"].flatMap((name) =>
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
