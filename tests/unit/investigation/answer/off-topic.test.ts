import { describe, expect, it } from "vitest";
import { createIncident, type TriageRequest } from "../../../../functions/incidents/create-incident.ts";
import { createExtractiveAnswer } from "../../../../functions/investigation/answer/extractive-answer.ts";
import type { RecalledRunbook } from "../../../../functions/investigation/recall/recall-result.ts";
import {
  assessRelevance,
  createRelevanceCriteria,
} from "../../../../functions/investigation/relevance/relevance-criteria.ts";
import { chunkMarkdown } from "../../../../functions/retrieval/chunking/chunk-markdown.ts";
import { tokenize } from "../../../../functions/retrieval/text/tokenize.ts";
import { type Incident, recallQuery } from "../../../../functions/schemas/incident.ts";
import { documentText, type SearchDocument } from "../../../../functions/search-index/search-document.ts";
import { SHIPPED_CATALOG, SHIPPED_DOMAINS } from "../../../support/domains.ts";
import { hitOf, NOW, recallOf } from "../samples.ts";

const SCALE = { unrelated: 0.6, close: 0.9 };
const THRESHOLD = 0.5;

/** The sections of each runbook. */
const runbooks = SHIPPED_DOMAINS.flatMap(({ name, runbooks }) =>
  runbooks.map(({ source, markdown, metadata }) =>
    chunkMarkdown(markdown, source, { size: 400, overlap: 50 }).map(
      (chunk): SearchDocument => ({
        id: `${source}#${chunk.index}`,
        source,
        chunkIndex: chunk.index,
        title: chunk.title,
        headingPath: chunk.headingPath,
        body: chunk.body,
        metadata: { ...metadata, kind: "runbook", domain: name },
        writtenAt: NOW,
      }),
    ),
  ),
);
const termsOfChunks = runbooks.flat().map((chunk) => new Set(tokenize(documentText(chunk))));

/** Term statistics of all chunks, as the keyword index computes them. */
function statisticsOf(terms: readonly string[]) {
  return Object.fromEntries(
    terms.map((term) => {
      const df = termsOfChunks.filter((chunkTerms) => chunkTerms.has(term)).length;
      return [term, { df, idf: Math.log(1 + (termsOfChunks.length - df + 0.5) / (df + 0.5)) }];
    }),
  );
}

/** The answer when every runbook was recalled at this distance; without a distance there are no vectors. */
function answer(incident: Incident, distance: number | undefined) {
  const criteria = createRelevanceCriteria(incident, [], statisticsOf(tokenize(recallQuery(incident))), SCALE);
  const recalled = runbooks.map((sections): RecalledRunbook => {
    const [first] = sections;
    if (!first) throw new Error("A runbook has no sections.");
    const hits = [{ ...hitOf(first), ...(distance === undefined ? {} : { distance }) }];
    return {
      source: first.id,
      title: first.title,
      relevance: assessRelevance(criteria, sections, hits),
      hits,
      sections,
    };
  });
  const ranked = recalled.sort((a, b) => b.relevance.probability - a.relevance.probability);
  return createExtractiveAnswer(incident, recallOf({ runbooks: ranked }), {
    thresholds: { ANSWER_THRESHOLD: THRESHOLD, POSSIBLE_THRESHOLD: THRESHOLD },
  });
}

/** Cosine distance of unrelated texts: 0.8. Without vectors only the words count. */
const RECALLS = [0.8, undefined];

const intake = (request: TriageRequest) =>
  createIncident(request, { catalog: SHIPPED_CATALOG, now: NOW, newId: () => "id" });

describe("a report that no runbook covers", () => {
  it.each<TriageRequest>([
    { title: "What is the capital of France?" },
    { title: "How do I bake sourdough bread?" },
    { title: "Who won the match yesterday?" },
    { title: "Our office Wi-Fi is unreachable" },
    { title: "The dishwasher leaks and the kitchen is full of water" },
    { title: "The pod of whales left the bay" },
    { title: "Book a table for two at eight" },
    { title: "My laptop keeps restarting" },
    { title: "Windows update restarts my machine" },
    { title: "The printer is out of memory" },
    { title: "The browser tab keeps crashing" },
    { title: "The health check at the doctor's is due" },
    { title: "Who ate my lunch?", incident_type: "oom_killed" },
    { title: "Windows laptop restarts", incident_type: "restart_loop" },
  ])("has outcome unknown and quotes no runbook: %j", (request) => {
    for (const distance of RECALLS) {
      const { outcome, confidence, answer: text } = answer(intake(request), distance);
      expect(outcome).toBe("unknown");
      expect(confidence).toBeLessThan(THRESHOLD);
      expect([text.summary.citations, text.likely_causes, text.confirm, text.mitigate]).toEqual([[], [], [], []]);
    }
  });

  it("gets no credit for its type where nothing chose a domain", () => {
    const incident = intake({ title: "Windows update restarts my machine" });
    expect([incident.domain.decidedBy, incident.type.name]).toEqual(["none", "restart_loop"]);
    const chosen = { ...incident, domain: { ...incident.domain, name: "docker", decidedBy: "words" } } as const;
    expect(answer(chosen, undefined).outcome).toBe("cause");
  });
});

describe("a report that a runbook covers", () => {
  it.each([
    ["docker: api-gateway container exited with code 137", "docker/exit-137-out-of-memory.md"],
    ["container keeps restarting", "docker/container-restart-loop.md"],
    ["docker: no space left on device", "docker/host-disk-full.md"],
    ["pod in CrashLoopBackOff", "kubernetes/crash-loop-back-off.md"],
    ["podman container exited with status 137", "podman/exit-137-out-of-memory.md"],
    ["deadlock detected while updating orders", "postgres/deadlock-detected-40p01.md"],
  ])("is answered from the same recall: %j", (title, source) => {
    const incident = intake({ title });
    const statistics = statisticsOf(tokenize(recallQuery(incident)));
    const criteria = createRelevanceCriteria(incident, [], statistics, SCALE);
    const sections = runbooks.find((chunks) => chunks[0]?.source === source) ?? [];
    for (const distance of RECALLS) {
      expect(answer(incident, distance).outcome).toBe("cause");
      const hits = distance === undefined ? [] : [{ distance }];
      expect(assessRelevance(criteria, sections, hits).probability).toBeGreaterThanOrEqual(THRESHOLD);
    }
  });
});
