// Answers of the API to the reports of a corpus, each asked with its runbook and with it removed, and the figures of them.

import { createApp } from "../../functions/app.ts";
import { RELEVANCE_MODELS, type RelevanceModels } from "../../functions/investigation/relevance/relevance-model.ts";
import { type TriageResult, triageResultSchema } from "../../functions/schemas/triage-result.ts";
import type { Services } from "../../functions/services.ts";
import { createExecutionContext } from "../../tests/integration/support/execution-context.ts";
import type { Corpus, Report } from "./corpora.ts";
import { type Condition, inBothConditions, rightSources } from "./examples.ts";
import { loadCorpus } from "./stores.ts";

export interface Answered {
  readonly report: Report;
  readonly condition: Condition;
  readonly outcome: TriageResult["outcome"];
  /** 0 to 1: of the best recalled runbook, whatever the outcome. */
  readonly confidence: number;
  /** Whether the best recalled runbook is right. */
  readonly isBestRight: boolean;
  /** Whether the ranking puts a right runbook first. */
  readonly isFirstRight: boolean;
  /** Whether a cause rests on a right runbook, or a right runbook is among the candidates. */
  readonly isRight: boolean;
  /** The runbook that a cause cites, or the best candidate. */
  readonly cited: string | null;
  /** Lines of the report that the answer quotes. */
  readonly quotes: readonly string[];
}

/** @param models weights that were not trained on the corpus */
export async function askApi(
  corpus: Corpus,
  models: RelevanceModels = RELEVANCE_MODELS,
  progress: (text: string) => void = () => {},
): Promise<Answered[]> {
  await using loaded = await loadCorpus(corpus, (done, total) =>
    progress(`${corpus.name}: ${done} of ${total} runbooks`),
  );
  const ask = createAsker({ ...loaded.services, relevanceModels: models });
  const answers: Answered[] = [];
  await inBothConditions(corpus, loaded, async (report, condition) => {
    answers.push(answerOf(report, condition, await ask(report)));
    progress(`${corpus.name}: ${answers.length} answers`);
  });
  return answers;
}

/**
 * Returns a function that asks one report through the API, in this process.
 *
 * `onAnswer` receives the time of the response, of `performance.now()`.
 *
 * @param isForgotten whether the incident is deleted after its answer, so that no later report recalls it
 */
export function createAsker(
  services: Services,
  { isForgotten } = { isForgotten: false },
): (report: Pick<Report, "id" | "request">, onAnswer?: (at: number) => void) => Promise<TriageResult> {
  const app = createApp(services);
  const headers = {
    authorization: `Bearer ${services.config.DEJAVU_TOKEN}`,
    "content-type": "application/json",
    "x-dejavu-traffic": "evaluation",
  };
  return async ({ id, request }, onAnswer) => {
    const context = createExecutionContext();
    const init = { method: "POST", headers, body: JSON.stringify(request) };
    const response = await app.request("/v1/triage", init, {}, context);
    if (!response.ok) throw new Error(`${id} was answered with ${response.status}: ${await response.text()}`);
    const body: unknown = await response.json();
    onAnswer?.(performance.now());
    const result = triageResultSchema.parse(body);
    if (isForgotten) {
      await context.settled();
      const path = `/v1/incidents/${result.incident_id}`;
      const deletion = await app.request(path, { method: "DELETE", headers }, {}, createExecutionContext());
      if (!deletion.ok) throw new Error(`The incident of ${id} was not deleted: ${deletion.status}`);
    }
    return result;
  };
}

function answerOf(report: Report, condition: Condition, result: TriageResult): Answered {
  const right = rightSources(report, condition);
  const hits = result.recalled.runbooks;
  const best = hits.toSorted((a, b) => b.probability - a.probability)[0];
  const first = hits.toSorted((a, b) => b.score - a.score)[0];
  const cited = citedSources(result);
  return {
    report,
    condition,
    outcome: result.outcome,
    confidence: best?.probability ?? 0,
    isBestRight: best !== undefined && right.has(best.source),
    isFirstRight: first !== undefined && right.has(first.source),
    isRight: cited.some((source) => right.has(source)),
    cited: cited[0] ?? null,
    quotes: result.answer.evidence.flatMap(({ quote }) => quote ?? []),
  };
}

/** Sources that the cause cites, or with outcome `possible` the candidates. */
export function citedSources(result: TriageResult): string[] {
  const { outcome, answer } = result;
  const statements = outcome === "possible" ? answer.possible_causes : [answer.summary, ...answer.likely_causes];
  return sourcesOf(
    result,
    statements.flatMap(({ citations }) => citations),
  );
}

function sourcesOf({ sources }: TriageResult, citations: readonly string[]): string[] {
  const byId = new Map(sources.map(({ id, source }) => [id, source]));
  return [...new Set(citations.flatMap((id) => byId.get(id) ?? []))];
}
