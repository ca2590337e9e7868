// Answers of the API to the reports of a corpus, each asked with its runbook and with it removed, and the figures of them.

import { createApp } from "../../../functions/app.ts";
import { RELEVANCE_MODELS, type RelevanceModels } from "../../../functions/investigation/relevance/relevance-model.ts";
import { type TriageResult, triageResultSchema } from "../../../functions/schemas/triage-result.ts";
import type { Services } from "../../../functions/services.ts";
import { createExecutionContext } from "../../integration/support/execution-context.ts";
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
  const services: Services = { ...loaded.services, relevanceModels: models };
  const app = createApp(services);
  const answers: Answered[] = [];
  await inBothConditions(corpus, loaded, async (report, condition) => {
    const body = JSON.stringify(report.request);
    const headers = {
      authorization: `Bearer ${services.config.DEJAVU_TOKEN}`,
      "content-type": "application/json",
      "x-dejavu-traffic": "evaluation",
    };
    const context = createExecutionContext();
    const response = await app.request("/v1/triage", { method: "POST", headers, body }, {}, context);
    if (!response.ok) throw new Error(`${report.id} was answered with ${response.status}: ${await response.text()}`);
    answers.push(answerOf(report, condition, triageResultSchema.parse(await response.json())));
    progress(`${corpus.name}: ${answers.length} answers`);
  });
  return answers;
}

function answerOf(report: Report, condition: Condition, result: TriageResult): Answered {
  const right = rightSources(report, condition);
  const hits = result.recalled.runbooks;
  const best = hits.toSorted((a, b) => b.probability - a.probability)[0];
  const first = hits.toSorted((a, b) => b.score - a.score)[0];
  const citations = result.outcome === "possible" ? candidateCitations(result) : causeCitations(result);
  const cited = sourcesOf(result, citations);
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

function causeCitations({ answer }: TriageResult): string[] {
  return [answer.summary, ...answer.likely_causes].flatMap(({ citations }) => citations);
}

function candidateCitations({ answer }: TriageResult): string[] {
  return answer.possible_causes.flatMap(({ citations }) => citations);
}

function sourcesOf({ sources }: TriageResult, citations: readonly string[]): string[] {
  const byId = new Map(sources.map(({ id, source }) => [id, source]));
  return [...new Set(citations.flatMap((id) => byId.get(id) ?? []))];
}
