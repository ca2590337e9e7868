import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { expectProblem, sendJson, sendText } from "../support/api.ts";
import { createHarness, emptyStores, type Harness, sql } from "../support/harness.ts";
import { INGRESS, sendDocument, storedChunks } from "../support/sources.ts";

const UNREACHABLE_URL = "http://127.0.0.1:9";
const harness = createHarness();

/** A domain that no file of the project names. */
const PAYMENTS = {
  description: "The payment services.",
  labels: [{ match: { team: ["payments"] } }],
  hints: [{ words: ["payments-api", "card processor"] }, { pattern: "\\bPAY-[0-9]{4}\\b", weight: 2 }],
  incident_types: [{ name: "processor_declines", hints: [{ words: ["declined by processor"] }] }],
  first_looks: [{ text: "See the declines of the last hour.", command: "payctl declines --last 1h" }],
};
const EMPTY = {
  description: "",
  labels: [],
  hints: [],
  excluded_words: [],
  only_when_decided: false,
  target_labels: [],
  incident_types: [],
  first_looks: [],
};

beforeEach(() => emptyStores(harness.services));

function put(name: string, definition: unknown, on: Harness = harness) {
  return sendJson(on, "PUT", `/v1/domains/${name}`, definition);
}

async function read(path: string): Promise<unknown> {
  return (await harness.request(path)).json();
}

/** A runbook, and a note, in the domain. */
async function storeTexts(domain: string): Promise<void> {
  expect((await sendText(harness, `/v1/runbooks/${domain}/ingress.md`, INGRESS)).status).toBe(201);
  const note = { text: "The card processor was slow.", source: `${domain} handover`, doc_type: "note", domain };
  expect((await sendDocument(harness, note)).status).toBe(201);
}

describe("PUT of a domain", () => {
  it("creates it, and returns it with defaults and counts", async () => {
    const { status, body } = await put("payments", PAYMENTS);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: "payments",
      definition: {
        ...EMPTY,
        ...PAYMENTS,
        labels: [{ match: { team: ["payments"] }, weight: 3 }],
        hints: [{ words: ["payments-api", "card processor"], weight: 3 }, { weight: 2 }],
        incident_types: [{ name: "processor_declines", hints: [{ weight: 3 }] }],
      },
      origin: "api",
      runbooks: 0,
      documents: 0,
      incidents: 0,
    });
    expect(await read("/v1/domains/payments")).toEqual(body);
  });

  it("replaces the whole definition, and keeps texts and incidents", async () => {
    await put("payments", PAYMENTS);
    await storeTexts("payments");
    await harness.triage({ title: "payments-api answers 502" });
    harness.clock.advance(1_000);
    const { status, body } = await put("payments", { description: "Payments." });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      definition: { ...EMPTY, description: "Payments." },
      runbooks: 1,
      documents: 1,
      incidents: 1,
    });
  });

  it("accepts its own claims again", async () => {
    const first = await put("payments", PAYMENTS);
    expect(await put("payments", PAYMENTS)).toEqual({ status: 200, body: first.body });
  });

  it("takes over a definition from a folder", async () => {
    await sql`insert into public.domains (name, origin, definition) values ('payments', 'folder', '{"description": "A"}')`;
    expect(await put("payments", { description: "B" })).toMatchObject({
      status: 200,
      body: { origin: "api", definition: { description: "B" } },
    });
  });

  it("refuses labels that other domains claim, each with its path, and stores nothing", async () => {
    await put("payments", { labels: [{ match: { team: ["payments", "billing"] } }] });
    await put("cache", { labels: [{ match: { job: ["redis"], cluster: ["eu"] } }] });
    const labels = [
      { match: { team: ["shop"] } },
      { match: { team: ["Billing"] } },
      { match: { job: ["redis", "valkey"], cluster: ["eu"] } },
    ];
    const response = await harness.request("/v1/domains/shop", {
      method: "PUT",
      body: JSON.stringify({ labels }),
      headers: { "content-type": "application/json" },
    });
    const { errors } = await expectProblem(response, 409, "label-conflict");
    expect(errors).toEqual([
      {
        field: "labels.1.match",
        message:
          "claims team=Billing, which the domain payments claims already: name labels or values of your own, or change payments first",
      },
      {
        field: "labels.2.match",
        message: expect.stringContaining("job=redis|valkey with cluster=eu, which the domain cache"),
      },
    ]);
    await expectProblem(await harness.request("/v1/domains/shop"), 404, "not-found");
  });

  it("lets one of two concurrent requests have a label", async () => {
    // Each on an isolate of its own, with its own copy of the domains.
    const names = ["one", "two", "three", "four"];
    const results = await Promise.all(names.map((name) => put(name, { labels: PAYMENTS.labels }, createHarness())));
    expect(results.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    expect(await sql`select name from public.domains where definition -> 'labels' <> '[]'`).toHaveLength(1);
  });

  it("stores concurrent definitions without a shared label", async () => {
    const names = ["one", "two", "three"];
    const results = await Promise.all(
      names.map((name) => put(name, { labels: [{ match: { team: [name] } }] }, createHarness())),
    );
    expect(results.map(({ status }) => status)).toEqual([201, 201, 201]);
  });

  it.each([
    ["an unknown field", { colour: "red" }, "colour", "is not a known field"],
    ["an unknown field of a hint", { hints: [{ words: ["a"], wait: 3 }] }, "hints.0.wait", "is not a known field"],
    ["a hint with neither words nor a pattern", { hints: [{ weight: 3 }] }, "hints.0", "needs `words` or a `pattern`"],
    ["a hint with an empty list", { hints: [{ words: [] }] }, "hints.0.words", "at least 1"],
    ["a word without letters", { hints: [{ words: ["redis", "--"] }] }, "hints.0.words.1", "letter or a digit"],
    ["a weight of 4", { hints: [{ words: ["a"], weight: 4 }] }, "hints.0.weight", "must be 1, 2 or 3"],
    [
      "a pattern that backtracks",
      { hints: [{ words: ["a"] }, { pattern: "(a+)+b" }] },
      "hints.1.pattern",
      "exponential",
    ],
    [
      "a pattern of a type that backtracks",
      { incident_types: [{ name: "a", hints: [{ pattern: "x.*y.*z.*" }] }] },
      "incident_types.0.hints.0.pattern",
      "too many ways",
    ],
    ["a broken pattern", { hints: [{ pattern: "(" }] }, "hints.0.pattern", "is no regular expression"],
    ["the reserved label", { labels: [{ match: { domain: ["x"] } }] }, "labels.0.match", "label `domain`"],
    ["a rule without labels", { labels: [{ match: {} }] }, "labels.0.match", "at least one label"],
    [
      "a type twice",
      { incident_types: [1, 2].map(() => ({ name: "a", hints: [{ words: ["a"] }] })) },
      "incident_types",
      "once",
    ],
    [
      "a type with a space",
      { incident_types: [{ name: "a b", hints: [{ words: ["a"] }] }] },
      "incident_types.0.name",
      "lower-case words joined by underscores",
    ],
    [
      "a secret in a command",
      { first_looks: [{ text: "See it.", command: "psql postgres://app:hunter2hunter2@db/app" }] },
      "first_looks.0.command",
      "secret",
    ],
    ["a NUL", { description: "a\0b" }, "description", "NUL"],
  ])("refuses %s, and names its path", async (_, definition, field, message) => {
    const { status, body } = await put("payments", definition);
    expect(status).toBe(422);
    expect(body).toMatchObject({ errors: [{ field, message: expect.stringContaining(message) }] });
    expect(await sql`select 1 from public.domains where name = 'payments'`).toHaveLength(0);
  });

  it.each(["Payments", "-payments", "a%20b", "x".repeat(64)])("refuses the name %s", async (name) => {
    expect(await put(name, {})).toMatchObject({ status: 422, body: { errors: [{ field: "name" }] } });
  });
});

describe("a stored definition", () => {
  it("takes effect on the next triage, on other isolates too", async () => {
    const other = createHarness();
    const report = { title: "PAY-1234 of payments-api: declined by processor" };
    expect((await other.triage(report)).domain).toMatchObject({ name: "general", decided_by: "none" });
    await put("payments", PAYMENTS);
    const result = await other.triage(report);
    expect(result).toMatchObject({
      domain: {
        name: "payments",
        rule: 'words "payments-api", "payments", "PAY-1234"',
        decided_by: "words",
        looked_further: false,
      },
      incident_type: { name: "processor_declines" },
      outcome: "unknown",
      answer: { look_next: [{ command: "payctl declines --last 1h" }] },
    });
    const labelled = await other.triage({ title: "Errors", labels: { team: "Payments" } });
    expect(labelled.domain).toMatchObject({ name: "payments", rule: "label team=Payments", decided_by: "label" });
  });

  it("loses its effect with its deletion", async () => {
    await put("payments", PAYMENTS);
    expect((await harness.triage({ title: "card processor is slow" })).domain.name).toBe("payments");
    await harness.request("/v1/domains/payments", { method: "DELETE" });
    expect((await harness.triage({ title: "card processor is slow" })).domain.name).toBe("general");
  });
});

describe("a domain that only its texts name", () => {
  it("has an empty definition, no origin and its counts", async () => {
    await storeTexts("storefront");
    expect(await read("/v1/domains/storefront")).toMatchObject({
      name: "storefront",
      definition: EMPTY,
      origin: null,
      runbooks: 1,
      documents: 1,
    });
    expect(await put("storefront", { description: "The shop." })).toMatchObject({
      status: 200,
      body: { origin: "api", runbooks: 1 },
    });
  });
});

describe("the list of domains", () => {
  it("is paged by name", async () => {
    for (const name of ["b-team", "a-team", "c-team"]) await put(name, {});
    const page = z.object({ domains: z.array(z.object({ name: z.string() })), next_cursor: z.string().nullable() });
    const first = page.parse(await read("/v1/domains?limit=2"));
    expect(first.domains.map(({ name }) => name)).toEqual(["a-team", "b-team"]);
    const second = page.parse(await read(`/v1/domains?limit=2&cursor=${encodeURIComponent(first.next_cursor ?? "")}`));
    expect(second).toMatchObject({ domains: [{ name: "c-team" }, { name: "general" }], next_cursor: null });
    await expectProblem(await harness.request("/v1/domains?cursor=x"), 422, "invalid-request");
  });
});

describe("DELETE of a domain", () => {
  const remove = (name: string, query = "") => harness.request(`/v1/domains/${name}${query}`, { method: "DELETE" });

  it("deletes a domain without texts", async () => {
    await put("payments", PAYMENTS);
    const response = await remove("payments");
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      deleted: { runbooks: 0, documents: 0 },
      kept: { incidents: 0 },
      indexed: true,
    });
    await expectProblem(await harness.request("/v1/domains/payments"), 404, "not-found");
    expect((await put("shop", { labels: PAYMENTS.labels })).status).toBe(201);
  });

  it.each(["", "?force=false"])("keeps a domain with texts for %j, and says what it holds", async (query) => {
    await put("payments", PAYMENTS);
    await storeTexts("payments");
    await harness.triage({ title: "card processor is slow" });
    const { detail } = await expectProblem(await remove("payments", query), 409, "domain-in-use");
    expect(detail).toBe(
      "payments holds 1 runbook and 1 document (notes, logs and postmortems). Send force=true to delete them with the domain. Its 1 incident stays.",
    );
    expect(await read("/v1/domains/payments")).toMatchObject({ runbooks: 1, documents: 1 });
  });

  it("deletes its texts from both indexes with force, and keeps its incidents and other domains", async () => {
    await put("payments", PAYMENTS);
    await storeTexts("payments");
    await storeTexts("shop");
    const { incident_id } = await harness.triage({ title: "card processor is slow" });
    const response = await remove("payments", "?force=true");
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      deleted: { runbooks: 1, documents: 1 },
      kept: { incidents: 1 },
      indexed: true,
    });
    for (const source of ["payments/ingress.md", "payments handover"])
      expect(await storedChunks(harness.services, source)).toEqual({ rows: [], index: [] });
    expect((await storedChunks(harness.services, "shop/ingress.md")).index).toHaveLength(3);
    expect(await read("/v1/domains/shop")).toMatchObject({ runbooks: 1, documents: 1 });
    expect(await read(`/v1/incidents/${incident_id}`)).toMatchObject({ domain: { name: "payments" } });
    await expectProblem(await remove("payments", "?force=true"), 404, "not-found");
  });

  it("empties the index later while the vector store is unavailable", async () => {
    await storeTexts("payments");
    const broken = createHarness({ CHROMA_URL: UNREACHABLE_URL });
    const response = await broken.request("/v1/domains/payments?force=true", { method: "DELETE" });
    expect(await response.json()).toMatchObject({ deleted: { runbooks: 1 }, indexed: false });
    harness.clock.advance(3_600_000);
    await harness.request("/v1/admin/jobs/retry-outbox", { method: "POST" });
    expect((await storedChunks(harness.services, "payments/ingress.md")).index).toEqual([]);
  });

  it("keeps a text that is stored at the same time, or deletes it whole", async () => {
    await storeTexts("payments");
    const [deleted, stored] = await Promise.all([
      remove("payments", "?force=true"),
      sendText(harness, "/v1/runbooks/payments/new.md", INGRESS),
    ]);
    expect([deleted.status, stored.status]).toEqual([200, 201]);
    const { rows } = await storedChunks(harness.services, "payments/new.md");
    const texts = await sql`select 1 from public.sources where source = 'payments/new.md'`;
    expect(rows).toHaveLength(3 * texts.length);
  });

  it("refuses `general`, an unknown name and an unknown parameter", async () => {
    const { errors } = await expectProblem(await remove("general", "?force=true"), 422, "invalid-request");
    expect(errors).toMatchObject([{ field: "name", message: expect.stringContaining("always exists") }]);
    await expectProblem(await remove("nowhere"), 404, "not-found");
    await expectProblem(await remove("payments", "?forced=true"), 422, "invalid-request");
    await expectProblem(await remove("payments", "?force=yes"), 422, "invalid-request");
  });
});

const REQUESTS = [
  ["GET", "/v1/domains", "read or ingest"],
  ["GET", "/v1/domains/payments", "read or ingest"],
  ["PUT", "/v1/domains/payments", "ingest"],
  ["DELETE", "/v1/domains/payments", "ingest"],
] as const;

function send(on: Harness, method: string, path: string, headers: Record<string, string> = {}) {
  return method === "PUT"
    ? on.request(path, { method, body: "{}", headers: { "content-type": "application/json", ...headers } })
    : on.request(path, { method, headers });
}

describe.each(REQUESTS)("%s %s", (method, path, needed) => {
  it(`needs the scope ${needed}`, async () => {
    const scopes = ["read", "triage", "feedback"].filter((scope) => !needed.includes(scope));
    const created = await harness.post("/v1/admin/tokens", { name: "others", scopes });
    const { token } = z.object({ token: z.string() }).parse(await created.json());
    const response = await send(harness, method, path, { authorization: `Bearer ${token}` });
    await expectProblem(response, 403, "insufficient-scope");
  });

  it("answers 503 while the database is unavailable", async () => {
    const broken = createHarness({ SUPABASE_URL: UNREACHABLE_URL });
    const { dependencies } = await expectProblem(await send(broken, method, path), 503, "dependency-unavailable");
    expect(dependencies).toEqual(["database"]);
  });
});

describe("the audit log", () => {
  it("names who changed and deleted a domain", async () => {
    await put("payments", PAYMENTS);
    await harness.request("/v1/domains/payments", { method: "DELETE" });
    expect(await read("/v1/memory/audit")).toMatchObject({
      events: [
        { subject_id: "payments", action: "deleted", kind: "domain", actor: "service" },
        { subject_id: "payments", detail: { method: "PUT", route: "/v1/domains/:name", status: 201 } },
      ],
    });
  });
});
