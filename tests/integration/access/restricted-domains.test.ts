// A token that is restricted to one domain, with all scopes: every endpoint and every tool with a record of another domain.
// A new endpoint or tool without a row here fails.

import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createApp } from "../../../functions/app.ts";
import { AZURE_METRIC, DATADOG, EVENTBRIDGE, GCP } from "../../unit/incidents/webhooks/payloads.ts";
import { createHarness, emptyStores, sql } from "../support/harness.ts";
import { problemOf } from "../support/tokens.ts";
import { as, createWorld, FOREIGN, OWN, type World } from "./domain-world.ts";
import { INCIDENT_ROWS, missing, outside, own, QUERY, type Row } from "./incident-rows.ts";

const harness = createHarness();
let world: World;
beforeAll(async () => {
  await emptyStores(harness.services);
  world = await createWorld(harness);
});

const azure = () => ({ ...AZURE_METRIC, data: { ...AZURE_METRIC.data, customProperties: { domain: FOREIGN } } });
const googleCloud = () => ({ ...GCP, incident: { ...GCP.incident, policy_user_labels: { domain: FOREIGN } } });
function cloudWatch() {
  const [metric] = EVENTBRIDGE.detail.configuration.metrics;
  const metricStat = {
    ...metric?.metricStat,
    metric: { ...metric?.metricStat.metric, dimensions: { domain: FOREIGN } },
  };
  const configuration = { ...EVENTBRIDGE.detail.configuration, metrics: [{ ...metric, metricStat }] };
  return { ...EVENTBRIDGE, detail: { ...EVENTBRIDGE.detail, configuration } };
}

const TARGET = { kind: "slack", options: { channel: "C024BE91L" }, credential: `NOTIFY_${OWN.toUpperCase()}__ONCALL` };
const SILENCE = {
  matchers: [{ type: "TYPE_EQUAL", name: "team", pattern: "db" }],
  startsAt: "2026-03-01T00:00:00Z",
  endsAt: "2026-03-20T00:00:00Z",
};
const MUTE = { reason: "planned", ends_at: new Date(harness.clock.now().getTime() + 3_600_000).toISOString() };
const SOURCE = { kind: "prometheus", url: "http://127.0.0.1:9" };

const observation = (rest = ""): Pick<Row, "path"> => ({
  path: ({ foreign }) => `/v1/memory/observations/${foreign.incident}${rest}`,
});

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  "POST /v1/triage": [
    { expected: "own", body: () => ({ title: QUERY }) },
    { expected: "nothing", body: ({ foreign }) => ({ title: QUERY, session_id: `call-${foreign.domain}` }) },
    { expected: "nothing", body: () => ({ title: QUERY, runbook_url: `https://wiki.example/${FOREIGN}/ledger.md` }) },
    { expected: "outside", body: () => ({ title: QUERY, labels: { domain: FOREIGN } }) },
  ],
  ...INCIDENT_ROWS,
  "POST /v1/triages/{id}/feedback": [
    {
      ...missing,
      path: ({ foreign }) => `/v1/triages/${foreign.triage}/feedback`,
      body: () => ({ rating: "down" }),
    },
  ],
  "GET /v1/feedback": [own],
  "POST /v1/alerts/alertmanager": [{ expected: "outside", body: () => alertmanager(FOREIGN) }],
  "POST /v1/alerts/grafana": [{ expected: "outside", body: () => grafana(FOREIGN) }],
  "POST /v1/alerts/azure": [{ expected: "outside", body: azure }],
  "POST /v1/alerts/cloudwatch": [{ expected: "outside", body: cloudWatch }],
  "POST /v1/alerts/datadog": [{ expected: "outside", body: () => ({ ...DATADOG, tags: `domain:${FOREIGN}` }) }],
  "POST /v1/alerts/google-cloud": [{ expected: "outside", body: googleCloud }],
  "POST /v1/alerts/opsgenie": [
    {
      expected: "outside",
      body: () => ({
        action: "Create",
        alert: { alertId: "1", alias: "a", message: "m", createdAt: 1772334000000, details: { domain: FOREIGN } },
      }),
    },
  ],
  "POST /v1/changes": [
    { ...outside, body: () => ({ service: "ledger", domain: FOREIGN }) },
    { ...outside, body: () => [{ service: "ledger" }, { service: "ledger", labels: { domain: FOREIGN } }] },
    { expected: "nothing", body: () => ({ service: "ledger" }) },
  ],
  "POST /v1/changes/cdevents": [
    {
      expected: "nothing",
      body: () => ({
        context: { id: "1", type: "dev.cdevents.service.deployed.0.2.0" },
        subject: { id: "ledger", content: { environment: { id: "production" } } },
      }),
    },
  ],
  "GET /v1/changes": [own, { expected: "nothing", path: () => "/v1/changes?service=ledger" }],
  "POST /mcp": [{ expected: "nothing", body: () => ({ jsonrpc: "2.0", id: 1, method: "resources/list" }) }],
  "POST /v1/search": ["runbooks", "incidents", "capabilities", "instances"].flatMap((collection): Row[] => [
    { expected: "nothing", body: ({ foreign }) => ({ collection, query: `${QUERY} ${foreign.word[0]}` }) },
    { expected: "nothing", body: () => ({ collection, filters: { op: "equals", field: "domain", value: FOREIGN } }) },
    { expected: "nothing", body: () => ({ collection, keyword: "ledger" }) },
  ]),
  "PUT /v1/inventory/{collection}/documents": [
    {
      ...outside,
      path: () => "/v1/inventory/capabilities/documents",
      body: () => ({
        documents: [
          {
            id: "apps/v1/Deployment",
            text: "Runs pods.",
            metadata: { kind: "Deployment", apiVersion: "apps/v1", apiGroup: "apps" },
          },
        ],
      }),
    },
  ],
  "DELETE /v1/inventory/{collection}/documents": [
    { ...outside, path: () => "/v1/inventory/capabilities/documents", body: () => ({ ids: ["apps/v1/Deployment"] }) },
  ],
  "POST /v1/inventory/{collection}/sync": [
    { ...outside, path: () => "/v1/inventory/capabilities/sync", body: () => ({ sync_id: "s" }) },
  ],
  "GET /v1/runbooks/search": [
    { expected: "own", path: () => `/v1/runbooks/search?query=${encodeURIComponent(QUERY)}` },
    { expected: "nothing", path: () => `/v1/runbooks/search?query=${encodeURIComponent(QUERY)}&domain=${FOREIGN}` },
  ],
  "PUT /v1/runbooks/{domain}/{source}": [
    { ...outside, path: () => `/v1/runbooks/${FOREIGN}/ledger.md`, text: "# Replaced\n\nBy another team." },
    { ...outside, path: () => `/v1/runbooks/${FOREIGN}/new.md`, text: "# New\n\nBy another team." },
    { ...outside, path: () => "/v1/runbooks/unheard-of/new.md", text: "# New\n\nBy another team." },
  ],
  "GET /v1/runbooks/{domain}/{source}": [{ ...missing, path: () => `/v1/runbooks/${FOREIGN}/ledger.md` }],
  "DELETE /v1/runbooks/{domain}/{source}": [{ ...missing, path: () => `/v1/runbooks/${FOREIGN}/ledger.md` }],
  "GET /v1/runbooks": [
    own,
    { expected: "nothing", path: () => `/v1/runbooks?domain=${FOREIGN}` },
    { expected: "nothing", path: ({ foreign }) => `/v1/runbooks?text=${foreign.word.slice(0, 6)}` },
  ],
  "POST /v1/runbooks/check": [{ expected: "nothing", text: "# Ours\n\nA text." }],
  "GET /v1/runbooks/{domain}/{source}/versions": [
    { expected: "own", path: () => `/v1/runbooks/${OWN}/ledger.md/versions` },
    { ...missing, path: () => `/v1/runbooks/${FOREIGN}/ledger.md/versions` },
  ],
  "GET /v1/runbooks/{domain}/{source}/versions/{number}": [
    { expected: "own", path: () => `/v1/runbooks/${OWN}/ledger.md/versions/1` },
    { ...missing, path: () => `/v1/runbooks/${FOREIGN}/ledger.md/versions/1` },
  ],
  "GET /v1/runbooks/{domain}/{source}/uses": [
    { expected: "own", path: () => `/v1/runbooks/${OWN}/ledger.md/uses` },
    { ...missing, path: () => `/v1/runbooks/${FOREIGN}/ledger.md/uses` },
  ],
  "POST /v1/documents": [
    { ...outside, body: () => ({ source: "a note", text: "A note.", doc_type: "note", domain: FOREIGN }) },
    { ...outside, body: () => ({ source: `${FOREIGN}/note`, text: "Replaced.", doc_type: "note", domain: OWN }) },
    { ...outside, body: () => ({ source: `${FOREIGN}/note`, text: "Replaced.", doc_type: "note" }) },
  ],
  "GET /v1/documents": [
    { expected: "nothing" },
    { expected: "nothing", path: () => `/v1/documents?domain=${FOREIGN}` },
  ],
  "GET /v1/documents/{id}": [{ ...missing, path: ({ foreign }) => `/v1/documents/${foreign.document}` }],
  "DELETE /v1/documents/{id}": [{ ...missing, path: ({ foreign }) => `/v1/documents/${foreign.document}` }],
  "GET /v1/domains": [{ expected: "nothing" }],
  "POST /v1/domains/route": [
    { expected: "nothing", body: ({ foreign }) => ({ text: QUERY, labels: { domain: foreign.domain } }) },
  ],
  "GET /v1/domains/{name}": [{ ...missing, path: () => `/v1/domains/${FOREIGN}` }],
  "PUT /v1/domains/{name}": [
    { ...outside, path: () => `/v1/domains/${FOREIGN}`, body: () => ({ description: "Taken." }) },
    { ...outside, path: () => "/v1/domains/unheard-of", body: () => ({ description: "Taken." }) },
  ],
  "DELETE /v1/domains/{name}": [{ ...missing, path: () => `/v1/domains/${FOREIGN}?force=true` }],
  "GET /v1/sources": [own, { expected: "own", path: () => "/v1/sources?health=false" }],
  "GET /v1/sources/{name}": [{ ...missing, path: () => `/v1/sources/${FOREIGN}` }],
  "PUT /v1/sources/{name}": [
    { ...outside, path: () => `/v1/sources/${FOREIGN}`, body: () => SOURCE },
    { ...outside, path: () => "/v1/sources/unheard-of", body: () => SOURCE },
    // A source may name a credential of other domains.
    { ...outside, path: () => `/v1/sources/${OWN}`, body: () => ({ ...SOURCE, domains: [OWN] }) },
  ],
  "DELETE /v1/sources/{name}": [
    { ...outside, path: () => `/v1/sources/${FOREIGN}` },
    { ...outside, path: () => "/v1/sources/unheard-of" },
  ],
  "POST /v1/sources/{name}/try": [
    { ...missing, path: () => `/v1/sources/${FOREIGN}/try`, body: () => ({ query: "up" }) },
  ],
  "GET /v1/notifications": [own],
  "GET /v1/notifications/{name}": [{ ...missing, path: () => `/v1/notifications/${FOREIGN}` }],
  "PUT /v1/notifications/{name}": [
    { ...outside, path: () => `/v1/notifications/${FOREIGN}`, body: () => ({ ...TARGET, domains: [OWN] }) },
    { ...outside, path: () => "/v1/notifications/unheard-of", body: () => ({ ...TARGET, domains: [FOREIGN] }) },
    { ...outside, path: () => "/v1/notifications/unheard-of", body: () => ({ ...TARGET, domains: [OWN, FOREIGN] }) },
    { ...outside, path: () => "/v1/notifications/unheard-of", body: () => TARGET },
  ],
  "DELETE /v1/notifications/{name}": [{ ...missing, path: () => `/v1/notifications/${FOREIGN}` }],
  "POST /v1/notifications/{name}/try": [
    { ...missing, path: () => `/v1/notifications/${FOREIGN}/try`, body: () => ({}) },
  ],
  "GET /v1/mutes": [own],
  "POST /v1/mutes": [
    { ...outside, path: () => "/v1/mutes", body: () => ({ ...MUTE, domain: FOREIGN }) },
    { ...outside, path: () => "/v1/mutes", body: () => ({ ...MUTE, matchers: ["team=db"] }) },
    { ...missing, path: () => "/v1/mutes", body: ({ foreign }) => ({ ...MUTE, incident_id: foreign.incident }) },
  ],
  "POST /v1/mutes/alertmanager": [
    {
      ...outside,
      path: () => "/v1/mutes/alertmanager",
      body: ({ foreign }) => ({ data: { silenceCreated: { silence: { ...SILENCE, id: foreign.mute } } } }),
    },
  ],
  "DELETE /v1/mutes/{id}": [{ ...missing, path: ({ foreign }) => `/v1/mutes/${foreign.mute}` }],
  "GET /v1/memory/observations": [
    own,
    { expected: "nothing", path: () => `/v1/memory/observations?domain=${FOREIGN}` },
    { ...own, path: () => "/v1/memory/observations?text=e" },
  ],
  "GET /v1/memory/past-answers": [
    own,
    { expected: "nothing", path: () => `/v1/memory/past-answers?domain=${FOREIGN}` },
    { ...own, path: () => "/v1/memory/past-answers?text=e" },
  ],
  "GET /v1/memory/sessions": [{ expected: "nothing" }],
  "GET /v1/memory/procedures": [own, { expected: "nothing", path: () => `/v1/memory/procedures?domain=${FOREIGN}` }],
  "GET /v1/memory/outbox": [outside],
  "GET /v1/memory/audit": [outside],
  "GET /v1/memory/observations/{id}": [{ ...missing, ...observation() }],
  "PATCH /v1/memory/observations/{id}": [{ ...missing, ...observation(), body: () => ({ review_score: -1 }) }],
  "POST /v1/memory/observations/{id}/split": [
    { ...missing, ...observation("/split"), body: ({ foreign }) => ({ incident_ids: [foreign.incident] }) },
  ],
  "POST /v1/memory/observations/{id}/join": [
    { ...missing, ...observation("/join"), body: ({ own: { incident: id } }) => ({ observation_id: id }) },
  ],
  "DELETE /v1/memory/observations/{id}": [{ ...missing, ...observation() }],
  "DELETE /v1/memory/past-answers/{id}": [
    { ...missing, path: ({ foreign }) => `/v1/memory/past-answers/${foreign.triage}` },
  ],
  "DELETE /v1/memory/procedures/{id}": [
    { ...missing, path: ({ foreign }) => `/v1/memory/procedures/${foreign.procedure}` },
  ],
  "DELETE /v1/memory/sessions/{id}": [
    // The own session of this name.
    { expected: "nothing", path: ({ foreign }) => `/v1/memory/sessions/call-${foreign.domain}` },
    { ...missing, path: ({ foreign }) => `/v1/memory/sessions/call-${foreign.domain}` },
  ],
  "GET /v1/memory/search": [
    { expected: "own", path: () => `/v1/memory/search?query=${encodeURIComponent(QUERY)}` },
    { expected: "nothing", path: () => `/v1/memory/search?query=${encodeURIComponent(QUERY)}&domain=${FOREIGN}` },
  ],
  "GET /v1/quality/calibration": [{ expected: "nothing" }],
  "GET /v1/quality/outcomes": [{ expected: "nothing" }],
  "GET /v1/quality/gaps": [{ expected: "nothing" }],
  "GET /v1/quality/gaps/{id}/draft": [{ ...missing, path: () => "/v1/quality/gaps/5f2c9a1e0b7d4c38/draft" }],
  "GET /v1/handover": [own],
  "GET /v1/stats": [own],
  "GET /v1/admin/jobs": [outside],
  "POST /v1/admin/jobs/{name}": [{ ...outside, path: () => "/v1/admin/jobs/retry-outbox" }],
  "POST /v1/admin/built-in-runbooks": [{ ...outside, body: () => ({ domain: OWN, runbooks: [] }) }],
  "GET /v1/admin/relevance-calibration": [outside],
  "DELETE /v1/admin/relevance-calibration": [outside],
  "POST /v1/admin/tokens": [
    { ...outside, body: () => ({ name: "wider", scopes: ["read"], domains: [OWN, FOREIGN] }) },
    { expected: "nothing", body: () => ({ name: "as wide", scopes: ["read"] }) },
  ],
  "GET /v1/admin/tokens": [own],
  "DELETE /v1/admin/tokens/{id}": [{ ...missing, path: ({ foreign }) => `/v1/admin/tokens/${foreign.token}` }],
  // console-sessions.test.ts has one of another domain.
  "GET /v1/admin/sessions": [{ expected: "nothing" }],
  "DELETE /v1/admin/sessions/{id}": [{ ...missing, path: ({ foreign }) => `/v1/admin/sessions/${foreign.incident}` }],
  "GET /v1/session": [{ expected: "nothing" }],
  "DELETE /v1/session": [{ expected: "nothing" }],
  "POST /v1/session/codes": [{ expected: "nothing" }],
  "GET /health/ready": [{ expected: "nothing" }],
  "GET /metrics": [outside],
};

const TOOL_ROWS: Readonly<Record<string, readonly ((world: World) => object)[]>> = {
  search_debugging_knowledge: [() => ({ question: QUERY }), () => ({ question: QUERY, labels: { domain: FOREIGN } })],
  lookup_previous_fixes: [() => ({ problem: QUERY }), () => ({ problem: QUERY, domain: FOREIGN })],
  vector_search: [
    () => ({ collection: "runbooks", query: QUERY }),
    () => ({ collection: "incidents", query: QUERY, filters: { op: "equals", field: "domain", value: FOREIGN } }),
    () => ({ collection: "runbooks", keyword: "ledger" }),
  ],
  submit_feedback: [({ foreign }) => ({ rating: "down", triage_id: foreign.triage })],
  ingest_debug_document: [
    () => ({ source: `${FOREIGN}/note`, text: "Replaced.", doc_type: "note" }),
    () => ({ source: "a note of ours", text: "A note.", doc_type: "note" }),
  ],
};

function alertmanager(domain: string) {
  const alert = {
    status: "firing",
    fingerprint: `f-${domain}`,
    startsAt: "2026-03-01T02:55:12Z",
    labels: { alertname: "LedgerStalled", domain },
    annotations: { summary: QUERY },
  };
  return { version: "4", groupKey: "{}", status: "firing", alerts: [alert] };
}

function grafana(domain: string) {
  return {
    ...alertmanager(domain),
    version: "1",
    receiver: "dejavu",
    orgId: 1,
    state: "alerting",
    title: "t",
    message: "m",
  };
}

const snapshot = () =>
  sql`select md5(string_agg(t::text, '' order by t::text)) from (
    select to_jsonb(d) - 'updated_at' as t from public.documents d where domain = ${FOREIGN}
    union all select to_jsonb(s) from public.sources s where domain = ${FOREIGN}
    union all select to_jsonb(d) from public.domains d where name <> ${OWN}
    union all select to_jsonb(i) from public.incidents i where domain = ${FOREIGN}
    union all select to_jsonb(o) from public.observations o where domain = ${FOREIGN}
    union all select to_jsonb(a) from public.past_answers a where domain = ${FOREIGN}
    union all select to_jsonb(r) from public.procedures r where domain = ${FOREIGN}
    union all select to_jsonb(c) from public.changes c where domain = ${FOREIGN}
    union all select to_jsonb(f) from public.feedback f
    union all select to_jsonb(s) from public.sessions s where session_id = ${`call-${FOREIGN}`}
    union all select to_jsonb(e) from public.evidence_sources e
    union all select to_jsonb(n) from public.notification_targets n where ${FOREIGN} = any (domains)
    union all select to_jsonb(m) from public.mutes m where domain = ${FOREIGN}
    union all select to_jsonb(a) from public.access_tokens a where domains is null or not domains = ${[OWN]}) t (t)`;

const securitySchema = z.looseObject({ security: z.array(z.record(z.string(), z.array(z.string()))).optional() });

describe("a token that is restricted to a domain", () => {
  it("has a row for every endpoint that needs a token", () => {
    const document = createApp(harness.services).getOpenAPI31Document({
      openapi: "3.1.0",
      info: { title: "", version: "" },
    });
    const paths = z.record(z.string(), z.record(z.string(), securitySchema)).parse(document.paths);
    const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { security = [] }]) => security.length > 0)
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
    expect(Object.keys(ROWS).sort()).toEqual(endpoints.sort());
  });

  it.each(Object.entries(ROWS))("neither reads nor changes another domain: %s", async (endpoint, rows) => {
    const [method = "", template = ""] = endpoint.split(" ");
    for (const { expected, path, body, text } of rows) {
      const before = await snapshot();
      const payload = body === undefined ? text : JSON.stringify(body(world));
      const url = path?.(world) ?? template;
      const response = await harness.request(url, {
        method,
        ...(payload === undefined ? {} : { body: payload }),
        headers: { ...as(world.token), ...(text === undefined ? {} : { "content-type": "text/markdown" }) },
      });
      const answer = await response.clone().text();
      const label = `${method} ${url} ${payload ?? ""} -> ${response.status} ${answer.slice(0, 600)}`;
      expect(answer, label).not.toContain(world.foreign.word);
      expect(await snapshot(), label).toEqual(before);
      if (expected === "missing") await problemOf(response, 404, "not-found");
      else if (expected === "outside") {
        const { detail } = await problemOf(response, 403, "outside-domains");
        expect(detail).toContain(`\`${template === "/v1/admin/tokens" ? FOREIGN : OWN}\``);
      } else expect(response.ok, label).toBe(true);
      if (expected === "own") expect(answer, label).toContain(world.own.word);
    }
  });

  const rpc = async (method: string, params: object) => {
    const message = { jsonrpc: "2.0", id: 1, method, params };
    const response = await harness.post("/mcp", message, as(world.token));
    return response.text();
  };

  it("has a row for every tool", async () => {
    const listed = z
      .object({ result: z.object({ tools: z.array(z.object({ name: z.string() })) }) })
      .parse(JSON.parse(await rpc("tools/list", {})));
    expect(Object.keys(TOOL_ROWS).sort()).toEqual(listed.result.tools.map(({ name }) => name).sort());
  });

  it.each(Object.entries(TOOL_ROWS))(
    "neither reads nor changes another domain with the tool %s",
    async (name, rows) => {
      for (const args of rows) {
        const before = await snapshot();
        const answer = await rpc("tools/call", { name, arguments: args(world) });
        expect(answer).not.toContain(world.foreign.word);
        expect(answer).not.toContain("Something went wrong");
        expect(await snapshot(), answer).toEqual(before);
      }
    },
  );

  it("reads no resource of another domain", async () => {
    const uris = [`dejavu://incidents/${world.foreign.incident}`, `dejavu://runbooks/${FOREIGN}/ledger.md`];
    for (const uri of uris) expect(await rpc("resources/read", { uri })).toContain("No resource has this URI");
    expect(await rpc("resources/read", { uri: `dejavu://runbooks/${OWN}/ledger.md` })).toContain(world.own.word);
    const ref = { type: "ref/resource", uri: "dejavu://runbooks/{domain}/{source}" };
    const completed = await rpc("completion/complete", { ref, argument: { name: "domain", value: "" } });
    expect(completed).toContain(OWN);
    expect(completed).not.toContain(FOREIGN);
  });
});
