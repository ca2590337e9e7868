// Deletion through the public API. Each deleted text has words of its own, markers. Afterwards they are in no column of any table
// and in no record of the vector store.

import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { compressSessions } from "../../../functions/jobs/compress-sessions.ts";
import { deleteExpired } from "../../../functions/jobs/delete-expired.ts";
import { retryOutbox } from "../../../functions/jobs/retry-outbox.ts";
import { deliver, investigate, webhook } from "../alerts/support.ts";
import { sendJson, sendText } from "../support/api.ts";
import { createHarness, emptyStores, type Harness, sql } from "../support/harness.ts";
import { findMarkers, type MarkerPlaces, marker, markersIn } from "../support/markers.ts";
import { plantIncident, plantMemory, plantObservation, plantProcedure } from "../support/sample-memory.ts";
import { metricsServer } from "../support/servers/metrics-server.ts";
import { draftOf, json, scriptedModel } from "../support/servers/scripted-model.ts";

/** Markers make the texts unlike the reports. */
const SURE = {
  POSSIBLE_THRESHOLD: "0.1",
  ANSWER_THRESHOLD: "0.12",
  CONFIDENCE_THRESHOLD: "0.1",
  PROCEDURAL_THRESHOLD: "0.12",
};
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

beforeEach(() => emptyStores(createHarness().services));

const RUNBOOK_PATH = `/v1/runbooks/flux/${marker("path")}.md`;
const FORMER_RUNBOOK = `# Flux capacitor overheats\n\nThe ${marker("former")} chamber is too hot.\n`;
const RUNBOOK = `---
tags: [${marker("tag")}]
---
# Flux capacitor overheats at ${marker("title")}

The flux capacitor gets hotter than its ${marker("opening")} allows.

## Symptoms

The log of the ${marker("symptom")} rack says \`flux capacitor overheated\`.

## Likely causes

- **The ${marker("cause")} valve is closed.** The flux capacitor overheats, and logs \`flux capacitor overheated\`.

## Confirm

1. (read-only) Read the ${marker("step")} thermometer: \`fluxctl get ${marker("command")} <${marker("placeholder")}-pod>\`

\`\`\`promql {check=${marker("check")} match=none cause="The ${marker("cause")} valve is closed"}
flux_${marker("query")}_ratio
\`\`\`
- confirms: any > 0.95: the ${marker("meaning")} is open
- else: inconclusive

## Mitigate with ${marker("heading")}

1. (changes state) Open the ${marker("mitigation")} valve: \`fluxctl open valve\`. Undo: \`fluxctl close ${marker("undo")}\`.

## Prevention

- Alert on the ${marker("prevention")} temperature.
`;
const NOTE = {
  source: `handover/${marker("notesource")}`,
  doc_type: "postmortem",
  domain: "flux",
  tags: [marker("notetag")],
  text: `# Ledger drift ${marker("notetitle")}

The ledger drifts by ${marker("notetext")} each night.

## Root cause ${marker("noteheading")}

- The ${marker("notecause")} job writes the ledger twice, and logs \`ledger drift of 7 entries\`.
`,
};
const DEFINITION = {
  description: `The ${marker("description")} team.`,
  labels: [{ match: { team: [marker("labelrule")] } }],
  hints: [{ words: [marker("hint")], weight: 2 }],
  first_looks: [{ text: `Look at the ${marker("look")} first.` }],
};
const OVERHEATED = {
  title: "flux capacitor overheats on rack 7",
  target: "rack-7",
  labels: { domain: "flux" },
  logs: "03:00:01 ERROR flux capacitor overheated",
};
const DRIFT = { title: "ledger drift", labels: { domain: "flux" }, logs: "03:00:02 ERROR ledger drift of 7 entries" };

const DRAFT = { evidence: [], hypotheses: [], confirm: [], mitigate: [], prevention: [] };
const OWN_WORDS = {
  citations: ["R1"],
  text: `${marker("title")}: the ${marker("own")} valve of the flux capacitor is closed.`,
};
/** Replies of a language model that cites the runbook. */
const MODEL = {
  classify: json({ domain: "flux", incident_type: "unknown", search_query: "flux capacitor overheats" }),
  synthesise: json(
    draftOf({
      ...DRAFT,
      evidence: [{ ...OWN_WORDS, quote: "flux capacitor overheated" }],
      hypotheses: [{ citations: ["R1"], verdict: "kept", cause: OWN_WORDS.text, reason: "It is hot." }],
      summary: OWN_WORDS,
    }),
  ),
  critique: json({ feedback: `The ${marker("feedback")} carries it.`, score: 0.8 }),
  compress: json({
    title: `The ${marker("own")} valve was closed`,
    narrative: `The ${marker("own")} valve was looked at.`,
    facts: ["One", "Two", "Three", "Four", `The ${marker("compressed")} valve`],
  }),
};
const ALERT = {
  name: marker("alertname"),
  labels: { cluster: "c-1", service: "checkout", team: marker("label") },
  annotations: { summary: `Checkout ${marker("summary")} fails.`, description: marker("annotation") },
};
const REPORT = {
  title: `Checkout ${marker("title")} queue overflows`,
  question: `Why does ${marker("question")} overflow?`,
  target: marker("target"),
  labels: { domain: "shop", team: marker("label") },
  logs: `03:00:01 ERROR queue overflow in ${marker("log")} worker: rejected message`,
  session_id: marker("session"),
};
const FIX = {
  resolution: `Restarted the ${marker("fix")} worker.`,
  resolved_by: marker("person"),
  conditions: marker("conditions"),
  did_not_help: [`Cleared the ${marker("failed")} cache.`],
};
const REOPENING = { reason: marker("reason"), by: marker("reopener") };
const TRY = { action: `Raised ${marker("tried")}.`, helped: false };
const RATING = { rating: "up", comment: marker("comment") };

async function putRunbook(harness: Harness, text = RUNBOOK): Promise<void> {
  const response = await sendText(harness, RUNBOOK_PATH, text);
  expect([200, 201], await response.clone().text()).toContain(response.status);
}

async function send(harness: Harness, method: string, path: string, body: unknown) {
  const sent = await sendJson(harness, method, path, body);
  expect([200, 201], JSON.stringify(sent.body)).toContain(sent.status);
  return sent.body;
}

async function remove(harness: Harness, path: string): Promise<void> {
  const response = await harness.request(path, { method: "DELETE" });
  expect([200, 204], `${path}: ${await response.clone().text()}`).toContain(response.status);
}

/** Each marker is in a table, so that its absence later means something. */
async function findPlanted(...texts: readonly unknown[]): Promise<MarkerPlaces> {
  const places = await findMarkers();
  expect([...places.keys()].sort()).toEqual(markersIn(texts));
  return places;
}

async function runJobs({ services, clock }: Harness): Promise<void> {
  clock.advance(DAY_MS);
  await deleteExpired(services);
  await retryOutbox(services);
}

/** Places that the guide names, with the reason. */
const STAYS: Readonly<Record<string, string>> = {
  "outbox.document_id": "the id of a document of the cluster inventory, until RETENTION_DAYS",
};

/** The markers that are still somewhere. */
async function expectNowhere(harness: Harness): Promise<void> {
  await runJobs(harness);
  const places = [...(await findMarkers())].map(
    ([word, where]) => [word, [...where].filter((place) => !(place in STAYS))] as const,
  );
  expect(Object.fromEntries(places.filter(([, where]) => where.length > 0))).toEqual({});
}

/** Where memory and later triages have copies of a text. */
const COPIES = [
  ...["past_answers.answer", "observations.narrative", "observations.facts", "documents.body", "documents.terms"],
  ...["terms.term", "runs.final_answer", "triages.result", "chroma:past_answers", "chroma:incidents"],
];

describe("the deletion of a runbook, a postmortem and their domain", () => {
  it("leaves nothing of them, neither in answers nor in what later incidents recalled of these answers", async () => {
    await using metrics = await metricsServer();
    metrics.series = [{ metric: { instance: "rack-7" }, value: "0.99" }];
    const harness = createHarness({ ...SURE, PROMETHEUS_URL: metrics.url, SESSION_COMPRESS_THRESHOLD: "1" });
    await send(harness, "PUT", "/v1/domains/flux", DEFINITION);
    await putRunbook(harness, FORMER_RUNBOOK);
    await harness.triage(OVERHEATED);
    await putRunbook(harness);
    const { id } = z.object({ id: z.string() }).parse(await send(harness, "POST", "/v1/documents", NOTE));
    await harness.triage({ ...OVERHEATED, session_id: "on-call" });
    const ofNote = await harness.triage({ ...DRIFT, session_id: "on-call" });
    await send(harness, "POST", `/v1/incidents/${ofNote.incident_id}/resolve`, {
      resolution: "Stopped the second job.",
    });
    harness.clock.advance(MINUTE_MS);
    const later = await harness.triage({ ...OVERHEATED, title: "rack 8: flux capacitor overheats" });
    expect(markersIn(later.recalled.past_answers)).toContain(marker("title"));
    const unknown = await createHarness().triage({ title: "the rack hums", labels: { domain: "flux" } });
    expect(markersIn(unknown.answer.look_next)).toEqual([marker("look")]);
    const recap = await harness.triage({ question: "What did we find?", session_id: "on-call" });
    expect(markersIn(recap.answer)).toContain(marker("notetitle"));
    harness.clock.advance(2 * DAY_MS);
    expect(await compressSessions(harness.services, () => {})).toMatchObject({ sessions: 1, past_answers: 2 });
    const before = await findPlanted(RUNBOOK_PATH, FORMER_RUNBOOK, RUNBOOK, NOTE, DEFINITION);
    for (const copied of ["title", "notetitle"])
      expect([...(before.get(marker(copied)) ?? [])]).toEqual(expect.arrayContaining(COPIES));
    await remove(harness, RUNBOOK_PATH);
    await remove(harness, `/v1/documents/${id}`);
    await remove(harness, "/v1/domains/flux");
    await expectNowhere(harness);
    const answers =
      await sql`select answer from public.past_answers where not is_summary and triage_id = ${ofNote.triage_id}`;
    expect(answers).toEqual([{ answer: expect.stringMatching(/^Fixed by: Stopped the second job\. \(operator\)\n/) }]);
  });

  it("leaves nothing of what a language model wrote about them, nor a procedure with it", async () => {
    await using model = await scriptedModel(MODEL);
    const harness = createHarness({ ...model.env(), ...SURE });
    await putRunbook(harness);
    await harness.triage(OVERHEATED);
    harness.clock.advance(MINUTE_MS);
    const later = await harness.triage(OVERHEATED);
    expect(markersIn(later.recalled.procedure)).toContain(marker("own"));
    const before = await findPlanted(RUNBOOK_PATH, RUNBOOK, MODEL);
    expect([...(before.get(marker("own")) ?? [])]).toContain("procedures.answer");
    expect([...(before.get(marker("compressed")) ?? [])]).toContain("chroma:incidents");
    await remove(harness, RUNBOOK_PATH);
    await expectNowhere(harness);
  });

  it("also leaves nothing in an answer that was under way", async () => {
    const harness = createHarness(SURE);
    await using model = await scriptedModel({
      ...MODEL,
      synthesise: async () => {
        await remove(harness, RUNBOOK_PATH);
        return MODEL.synthesise;
      },
    });
    await putRunbook(harness);
    const { triage } = createHarness({ ...model.env(), ...SURE });
    expect(markersIn((await triage(OVERHEATED)).answer)).toContain(marker("own"));
    expect([...((await findMarkers()).get(marker("own")) ?? [])]).toContain("past_answers.answer");
    await expectNowhere(harness);
  });

  it("leaves the vector store to the outbox while that is unavailable", async () => {
    const harness = createHarness(SURE);
    await putRunbook(harness);
    await harness.triage(OVERHEATED);
    await remove(createHarness({ ...SURE, CHROMA_URL: "http://127.0.0.1:9" }), RUNBOOK_PATH);
    const places = [...(await findMarkers()).values()].flatMap((where) => [...where]);
    expect(new Set(places)).toEqual(new Set(["chroma:runbooks", "chroma:past_answers", "chroma:incidents"]));
    await expectNowhere(harness);
  });
});

describe("the deletion of an incident and its session", () => {
  it("leaves nothing of its report, its alert, its fixes and its ratings", async () => {
    const harness = createHarness(SURE);
    const { incidents } = await deliver(harness, "alertmanager", webhook([ALERT]));
    await investigate(harness.services, incidents);
    const { incident_id: id, triage_id } = await harness.triage(REPORT, { "idempotency-key": marker("key") });
    await send(harness, "POST", `/v1/incidents/${id}/resolve`, FIX);
    await send(harness, "POST", `/v1/incidents/${id}/reopen`, REOPENING);
    await send(harness, "POST", `/v1/incidents/${id}/resolve`, FIX);
    await send(harness, "POST", `/v1/incidents/${id}/tries`, TRY);
    await send(harness, "POST", `/v1/triages/${triage_id}/feedback`, RATING);
    harness.clock.advance(MINUTE_MS);
    const later = await harness.triage({
      title: "Checkout queue overflows",
      labels: { domain: "shop", cluster: "c-1", service: "checkout", namespace: "shop" },
      logs: "03:00:01 ERROR queue overflow in worker: rejected message",
    });
    expect(markersIn(later.answer)).toContain(marker("fix"));
    expect(markersIn(later.live)).toContain(marker("summary"));
    await findPlanted(ALERT, REPORT, FIX, REOPENING, TRY, RATING, marker("key"));
    await remove(harness, `/v1/memory/sessions/${marker("session")}`);
    for (const each of [id, ...incidents]) await remove(harness, `/v1/incidents/${each}`);
    await expectNowhere(harness);
  });

  it("leaves nothing in memory of what a language model wrote about it in a later answer", async () => {
    const harness = createHarness(SURE);
    const { incident_id: id } = await harness.triage(REPORT);
    await send(harness, "POST", `/v1/incidents/${id}/resolve`, FIX);
    const cited = { citations: ["I1"], text: `As with ${marker("fix")}, the queue of the checkout overflows.` };
    const draft = {
      ...DRAFT,
      summary: cited,
      evidence: [{ ...cited, quote: "queue overflow" }],
      hypotheses: [{ citations: ["I1"], verdict: "kept" as const, cause: cited.text, reason: "It did." }],
    };
    await using model = await scriptedModel({ ...MODEL, synthesise: json(draftOf(draft)) });
    const report = {
      title: "queue overflow at the kiosk",
      logs: "03:00:01 ERROR queue overflow in worker: rejected message\n03:00:02 ERROR worker rejected message",
    };
    const { triage_id } = await createHarness({ ...model.env(), ...SURE }).triage({
      ...report,
      labels: { domain: "shop" },
    });
    const [row] = await sql`select answer from public.past_answers where id = ${triage_id}`;
    expect(markersIn(row)).toContain(marker("fix"));
    await remove(harness, `/v1/incidents/${id}`);
    await expectNowhere(harness);
  });
});

describe("the deletion of records of memory", () => {
  it("leaves nothing of an observation, a past answer and a procedure, also where a triage recalled them", async () => {
    const harness = createHarness(SURE);
    const { services } = harness;
    const planted = await plantIncident(services, { text: "queue overflow in worker" });
    const text = (name: string) => `queue overflow in worker ${marker(name)}`;
    await plantObservation(services, planted, { text: text("observation") });
    await plantMemory(services, planted, { text: text("answer") });
    const procedure = await plantProcedure(services, planted, { text: text("procedure") });
    await using model = await scriptedModel();
    const later = await createHarness({ ...model.env(), ...SURE }).triage({ title: "queue overflow in worker" });
    expect(markersIn(later.recalled)).toEqual(["answer", "observation", "procedure"].map(marker));
    for (const path of [
      `observations/${planted.incidentId}`,
      `past-answers/${planted.triageId}`,
      `procedures/${procedure}`,
    ])
      await remove(harness, `/v1/memory/${path}`);
    await expectNowhere(harness);
  });
});

describe("the deletion of documents of the cluster inventory", () => {
  it("leaves their ids in finished index writes, and nothing else", async () => {
    const harness = createHarness();
    const metadata = { namespace: "prod", name: marker("name"), kind: "Pod", apiVersion: "v1", apiGroup: "" };
    const document = { id: `prod/v1/Pod/${marker("name")}`, text: `Serves ${marker("text")}.`, metadata };
    const path = "/v1/inventory/instances/documents";
    await send(harness, "PUT", path, { documents: [document] });
    await findPlanted(document);
    await send(harness, "DELETE", path, { ids: [document.id] });
    await expectNowhere(harness);
  });
});
