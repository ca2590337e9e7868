import { describe, expect, it } from "vitest";
import { createParsingDatabase } from "../../../functions/adapters/database.ts";
import type { EvidenceClient } from "../../../functions/adapters/evidence/client.ts";
import { createEvidenceSources } from "../../../functions/evidence-sources/create-evidence-sources.ts";
import { environmentSources } from "../../../functions/evidence-sources/environment-sources.ts";
import { createSourceStore, readSources } from "../../../functions/evidence-sources/source-store.ts";
import { createTestTimers } from "../../support/test-timers.ts";
import { sampleRow, sampleSource } from "./samples.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const later = (ms: number) => new Date(NOW.getTime() + ms);
const namesOf = (definitions: readonly { readonly name: string }[]) => definitions.map(({ name }) => name);

describe("the copy of the sources", () => {
  it("holds those of the environment before the first read", () => {
    const store = createSourceStore([sampleSource({ name: "prometheus" })]);
    expect(store.current()).toMatchObject({ version: null, rows: [], definitions: [{ name: "prometheus" }] });
  });

  it("is replaced by a new version, and kept where the database has no newer one", () => {
    const store = createSourceStore([]);
    const first = store.accept({ version: "1", sources: [sampleRow()] }, NOW);
    expect(store.accept({ version: "1", sources: null }, NOW)).toBe(first);
    expect(store.accept({ version: "2", sources: [] }, NOW).definitions).toEqual([]);
  });

  it("is old before the first read, after 30 s, and when it is invalidated", () => {
    const store = createSourceStore([]);
    expect(store.isOld(NOW)).toBe(true);
    store.accept({ version: "1", sources: [] }, NOW);
    expect([store.isOld(later(30_000)), store.isOld(later(30_001))]).toEqual([false, true]);
    store.invalidate();
    expect(store.isOld(NOW)).toBe(true);
  });

  it("has a source of the environment in place of a row with its name", () => {
    const store = createSourceStore([sampleSource({ name: "prometheus", url: "http://127.0.0.1:1" })]);
    const { definitions } = store.accept(
      {
        version: "1",
        sources: [sampleRow({ name: "prometheus", url: "http://127.0.0.1:2" }), sampleRow({ name: "a" })],
      },
      NOW,
    );
    expect(definitions.map(({ name, url }) => [name, url])).toEqual([
      ["a", "http://127.0.0.1:9090"],
      ["prometheus", "http://127.0.0.1:1"],
    ]);
  });

  it("of a restricted caller has the sources that name one of its domains", () => {
    const fixed = [sampleSource({ name: "prometheus" })];
    const store = createSourceStore(fixed, ["orders"]);
    const sources = [
      sampleRow({ name: "all" }),
      sampleRow({ name: "own", domains: ["orders", "payments"] }),
      sampleRow({ name: "foreign", domains: ["payments"] }),
    ];
    expect(namesOf(store.accept({ version: "1", sources }, NOW).definitions)).toEqual(["own"]);
    expect(store.fixed).toEqual([]);
  });

  it("sends its version, and leaves out a row of a kind that it does not have", async () => {
    const calls: unknown[] = [];
    const database = createParsingDatabase(async (...call) => {
      calls.push(call);
      return { version: "7", sources: [sampleRow(), { ...sampleRow({ name: "later" }), kind: "later" }] };
    });
    const store = createSourceStore([]);
    expect(namesOf((await readSources(store, { database, now: NOW })).definitions)).toEqual(["prod"]);
    await readSources(store, { database, now: NOW });
    expect(calls).toEqual([
      ["load_evidence_sources", {}, 1],
      ["load_evidence_sources", { p_version: "7" }, 1],
    ]);
  });
});

describe("the sources of the environment", () => {
  it("bear the names of their kinds, and name the setting of the credential", () => {
    const [prometheus, ...others] = environmentSources({
      PROMETHEUS_URL: "https://metrics.example.com",
      PROMETHEUS_CREDENTIAL: "planted-secret",
      LOKI_CREDENTIAL: "unused",
    });
    expect(prometheus).toEqual(
      sampleSource({
        name: "prometheus",
        url: "https://metrics.example.com",
        credential: "PROMETHEUS_CREDENTIAL",
      }),
    );
    expect(others).toEqual([]);
  });
});

describe("the client of a source", () => {
  const environment: Record<string, unknown> = {};
  const create = (...[definition, credential]: [EvidenceClient["definition"], string | null]) =>
    ({ definition, credential }) as unknown as EvidenceClient;
  const sources = createEvidenceSources({
    fixed: [],
    clients: { prometheus: create, loki: create, postgres: create, kubernetes: create },
    environment,
    startTimer: createTestTimers().startTimer,
  });

  it.each([
    ["a-token", "a-token"],
    [" a-token\n", "a-token"],
    [{ connectionString: "postgres://u:p@h/d" }, "postgres://u:p@h/d"],
  ])("gets the credential %j of the environment at the time of the call", (value, credential) => {
    const definition = sampleSource({ credential: "EVIDENCE_PROD" });
    environment.EVIDENCE_PROD = undefined;
    expect(sources.clientOf(definition)).toEqual({ state: "missing_credential", name: "EVIDENCE_PROD" });
    environment.EVIDENCE_PROD = value;
    expect(sources.clientOf(definition)).toEqual({ state: "ready", client: { definition, credential } });
    expect(sources.hasCredential("EVIDENCE_PROD")).toBe(true);
  });

  it("gets the headers of a credential that consists of them", () => {
    const definition = sampleSource({ credential: "EVIDENCE_PROD", headers: { "X-Scope-OrgID": "a" } });
    environment.EVIDENCE_PROD =
      "CF-Access-Client-Id: id.access\r\nCF-Access-Client-Secret: planted\nAuthorization: Bearer t\n";
    const headers = {
      "X-Scope-OrgID": "a",
      "cf-access-client-id": "id.access",
      "cf-access-client-secret": "planted",
      authorization: "Bearer t",
    };
    const client = { definition: { ...definition, headers }, credential: null };
    expect(sources.clientOf(definition)).toEqual({ state: "ready", client });
    expect(definition.headers).toEqual({ "X-Scope-OrgID": "a" });
  });

  it.each(["user:password", "a token", "X-Key: a\nno header", "user:pass: word", "X Key: a"])(
    "gets another credential as it is: %j",
    (value) => {
      environment.EVIDENCE_PROD = value;
      const definition = sampleSource({ credential: "EVIDENCE_PROD" });
      expect(sources.clientOf(definition)).toEqual({ state: "ready", client: { definition, credential: value } });
    },
  );

  it("gets a connection string as it is", () => {
    environment.EVIDENCE_PROD = "user: password";
    const definition = sampleSource({ kind: "postgres", credential: "EVIDENCE_PROD" });
    expect(sources.clientOf(definition)).toMatchObject({ client: { credential: "user: password" } });
  });

  it.each([undefined, "", "  ", 1, {}])("is missing where the environment has %j", (value) => {
    environment.EVIDENCE_PROD = value;
    expect(sources.clientOf(sampleSource({ credential: "EVIDENCE_PROD" })).state).toBe("missing_credential");
    expect(sources.hasCredential("EVIDENCE_PROD")).toBe(false);
  });

  it("needs none where the source names none", () => {
    const definition = sampleSource();
    expect(sources.clientOf(definition)).toEqual({ state: "ready", client: { definition, credential: null } });
    expect(sources.hasCredential(null)).toBeNull();
  });
});
