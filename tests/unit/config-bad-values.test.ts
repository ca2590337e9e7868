import { describe, expect, it } from "vitest";
import { readConfig } from "../../functions/config.ts";
import { MINIMAL, refusal } from "./config-samples.ts";

describe("bad values", () => {
  const planted = "pl4nted-s3cret";

  it.each([
    ["SUPABASE_URL", planted],
    ["CHROMA_URL", planted],
    ["SUPABASE_URL", `postgres://dejavu:${planted}@localhost/postgres`],
    ["CHROMA_URL", `ftp://dejavu:${planted}@localhost`],
    ["CHROMA_URL", `http://dejavu:${planted}@localhost/path`],
    ["CHROMA_URL", `http://localhost/${planted}`],
    ["EMBEDDINGS_URL", `ws://localhost/?key=${planted}`],
    ["EMBEDDINGS_URL", planted],
    ["EMBEDDING_MODEL", planted],
    ["EMBEDDING_MODEL", `openai:${planted}`],
    ["POSSIBLE_THRESHOLD", planted],
    ["DEJAVU_TOKEN", planted],
    ["DEJAVU_TOKEN", `${planted} ${planted}`],
    ["DEJAVU_TOKEN", { secret: planted }],
    ["SUPABASE_SERVICE_ROLE_KEY", [planted]],
    ["CHROMA_API_KEY", { secret: planted }],
    ["ALERT_GROUP_WINDOW_SECONDS", planted],
    ["GRAFANA_WEBHOOK_SECRET", { secret: planted }],
    ["PAGERDUTY_WEBHOOK_SECRET", planted],
    ["RERANKER", planted],
    ["RERANKER", `cohere:${planted}`],
    ["RERANK_URL", `ftp://${planted}`],
    ["RERANK_API_KEY", { secret: planted }],
    ["MODEL", planted],
    ["MODEL", `openai:${planted}`],
    ["MODEL", `none:${planted}`],
    ["SMALL_MODEL", planted],
    ["ANTHROPIC_API_KEY", { secret: planted }],
    ["ANTHROPIC_BASE_URL", `ftp://${planted}`],
    ["MODEL_API_KEY", { secret: planted }],
    ["MODEL_BASE_URL", planted],
    ["MODEL_THINKING", planted],
    ["MODEL_JSON", planted],
    ["MODEL_PRICE", planted],
    ["DAILY_TOKEN_BUDGET", planted],
    ["CORS_ORIGINS", planted],
    ["CORS_ORIGINS", `https://good.example,https://${planted}/path`],
    ["SLACK_SIGNING_SECRET", { secret: planted }],
    ["SLACK_SIGNING_SECRET", planted],
    ["SLACK_BOT_TOKEN", `${planted} ${planted}`],
    ["SLACK_API_URL", planted],
    ["CHROMA_URL", `https://dejavu:${planted}@chroma.example/path`],
    ["DEPENDENCY_TIMEOUT_MS", planted],
    ["LOG_LEVEL", planted],
    ["OTLP_ENDPOINT", `ftp://${planted}`],
    ["OTLP_ENDPOINT", `https://dejavu:${planted}@collector.example.com`],
    ["OTLP_ENDPOINT", `https://${planted}@collector.example.com/otlp`],
    ["OTLP_ENDPOINT", `https://collector.example.com/otlp?key=${planted}`],
    ["OTLP_ENDPOINT", `https://collector.example.com/#${planted}`],
    ["OTLP_ENDPOINT", `https://collector.example.com/${planted}/v1/traces`],
    ["OTLP_HEADERS", planted],
    ["OTLP_HEADERS", `authorization=%ff${planted}`],
    ["OTLP_HEADERS", `authorization=%0a${planted}`],
    ["OTLP_HEADERS", `a header=${planted}`],
    ["TRACE_PROJECT", { secret: planted }],
    ["REDACT_PRIVATE_ADDRESSES", planted],
    ["HIDE_TRACE_TEXTS", planted],
    ["PHOENIX_URL", planted],
    ["PHOENIX_URL", `https://dejavu:${planted}@phoenix.example.com`],
    ["PHOENIX_URL", `https://phoenix.example.com?key=${planted}`],
    ["PHOENIX_URL", `https://phoenix.example.com/${planted}/v1/span_annotations`],
    ["PHOENIX_API_KEY", { secret: planted }],
  ])("names %s and never prints what it holds", (name, value) => {
    const message = refusal({ [name]: value });
    expect(message).toContain(name);
    expect(message).not.toContain(planted);
  });

  it.each([
    ["OTLP_ENDPOINT", "http://127.0.0.1:6006/v1/traces/", ["/v1/traces", "http://127.0.0.1:6006", "OTLP_HEADERS"]],
    ["OTLP_ENDPOINT", "http://127.0.0.1:6006?", ["without a query"]],
    ["PHOENIX_URL", "http://u:p@127.0.0.1:6006", ["/v1/span_annotations", "http://127.0.0.1:6006", "PHOENIX_API_KEY"]],
    ["PHOENIX_URL", "http://127.0.0.1:6006/v1/traces", ["/v1/span_annotations"]],
  ] as const)("says what to write for %s=%s", (name, value, words) => {
    for (const word of words) expect(refusal({ [name]: value })).toContain(word);
  });

  it.each(["http://127.0.0.1:6006", "http://127.0.0.1:6006/", "https://otlp.example.com/otlp"])(
    "are none for an observer at %s",
    (url) => {
      expect(refusal({ OTLP_ENDPOINT: url, PHOENIX_URL: url })).toBe("accepted");
    },
  );

  it.each([
    ["EMBEDDING_DIMENSIONS", "0"],
    ["EMBEDDING_DIMENSIONS", "100.5"],
    ["POSSIBLE_THRESHOLD", "1.01"],
    ["POSSIBLE_THRESHOLD", "-0.01"],
    ["DEPENDENCY_TIMEOUT_MS", "9"],
    ["SUPABASE_SERVICE_ROLE_KEY", ""],
    ["EMBEDDING_MODEL", "openai-compatible:"],
    ["EMBEDDING_MODEL", "built-in:large"],
    ["EMBEDDING_MODEL", "Built-in"],
    ["RERANKER", "http:"],
    ["RERANKER", "NONE"],
    ["RERANKER", "lexical"],
    ["MODEL", "anthropic:"],
    ["MODEL", "NONE"],
    ["SMALL_MODEL", "none"],
    ["MODEL_PRICE", "1/5"],
    ["MODEL_PRICE", "1/0.1/5/2"],
    ["MODEL_PRICE", "1/-0.1/5"],
    ["MODEL_PRICE", "$1/$0.1/$5"],
    ["MODEL_PRICE", "1/.1/5"],
    ["MODEL_PRICE", "1/0.1/5,1"],
    ["MODEL_THINKING", "on"],
    ["MODEL_JSON", "text"],
    ["DAILY_TOKEN_BUDGET", "-1"],
    ["DAILY_TOKEN_BUDGET", "0.5"],
    ["TRIAGE_BUDGET_MS", "9"],
    ["TRIAGE_BUDGET_MS", "120001"],
    ["MAX_WAITING_INCIDENTS", "0"],
    ["DAILY_TOKEN_BUDGET", "unlimited"],
    ["RETENTION_DAYS", "0.9"],
    ["RETENTION_DAYS", "36501"],
    ["SLACK_SIGNING_SECRET", "0123456789abcde"],
    ["SLACK_BOT_TOKEN", "xoxb-\u00e9"],
    ["DEPENDENCY_TIMEOUT_MS", "120001"],
    ["ALERT_GROUP_WINDOW_SECONDS", "-1"],
    ["ALERT_GROUP_WINDOW_SECONDS", "86401"],
    ["GRAFANA_WEBHOOK_SECRET", "fifteen-letters"],
    ["PAGERDUTY_WEBHOOK_SECRET", "fifteen-letters"],
  ])("refuses %s=%s by its name", (name, value) => {
    expect(refusal({ [name]: value })).toContain(name);
  });

  it.each([
    ["RETENTION_DAYS", 1, 36_500],
    ["ALERT_GROUP_WINDOW_SECONDS", 0, 86_400],
  ] as const)("are none for %s from %d to %d", (name, least, most) => {
    expect([least, most].map((value) => readConfig({ ...MINIMAL, [name]: String(value) })[name])).toEqual([
      least,
      most,
    ]);
  });

  it.each(["SUPABASE_URL", "SUPABASE_SERVICE_ROLE_KEY", "CHROMA_URL"])("names %s where it is missing", (name) => {
    expect(refusal({ [name]: undefined })).toContain(name);
  });

  it("names every variable at fault at once", () => {
    const message = refusal({ SUPABASE_URL: "x", EMBEDDING_DIMENSIONS: "x", POSSIBLE_THRESHOLD: "2" });
    for (const name of ["SUPABASE_URL", "EMBEDDING_DIMENSIONS", "POSSIBLE_THRESHOLD"]) expect(message).toContain(name);
  });

  it("prints no secret among the contradictions either", () => {
    const secrets = {
      DEJAVU_TOKEN: `${planted}-and-more`,
      SUPABASE_SERVICE_ROLE_KEY: planted,
      CHROMA_API_KEY: planted,
      EMBEDDINGS_API_KEY: planted,
      ANTHROPIC_API_KEY: planted,
      MODEL_API_KEY: planted,
      MODEL: `openai-compatible:${planted}`,
      SUPABASE_URL: `http://dejavu:${planted}@localhost`,
    };
    const message = refusal({ ...secrets, ANSWER_THRESHOLD: "0", MODEL_BASE_URL: undefined });
    expect(message).toContain("contradicts itself");
    expect(message).not.toContain(planted);
  });

  it.each(["POSSIBLE_THRESHOLD", "EMBEDDING_DIMENSIONS", "DAILY_TOKEN_BUDGET", "MODEL_PRICE", "MODEL"] as const)(
    "takes a blank %s for one that is not set, not for 0",
    (name) => {
      expect(readConfig({ ...MINIMAL, [name]: "" })[name]).toBe(readConfig(MINIMAL)[name]);
    },
  );
});
