// Vectors of a report: one for runbooks, past answers and procedures, one for past incidents, in one request.

import { searchLines } from "../../../lib/logs/search-lines.ts";
import { withoutMarkers } from "../../../lib/redaction/redaction-marker.ts";
import { tokenize } from "../../../lib/text/tokenize.ts";
import { withoutName } from "../../../lib/text/without-name.ts";
import { type Incident, nameHints, searchText } from "../../schemas/incident.ts";
import { embedding, input } from "../../telemetry/openinference.ts";
import { inSpan } from "../../telemetry/span.ts";
import type { InvestigationServices } from "../run/investigation-services.ts";

export interface ReportVectors {
  /** The embedded text of the report. A changed search query needs new vectors. */
  readonly text: string;
  readonly report: Promise<readonly number[]>;
  readonly failure: Promise<readonly number[]>;
}

/**
 * Starts the embedding, which waits for the names in the session if names are hidden. Neither text depends on domain and type, so it need not wait for the domains.
 * @param sessionNames texts that show them
 */
export function embedReport(
  services: Pick<InvestigationServices, "embedder">,
  incident: Incident,
  sessionNames: readonly string[] | PromiseLike<readonly string[] | null> = [],
): ReportVectors {
  const text = searchText(incident);
  const failure = failureText(incident, text);
  const vectors = inSpan("EMBEDDING", "embed query", async (span) => {
    const { embedder } = services;
    span.set(() => ({ ...input(text), ...embedding(embedder.model, text) }));
    if (embedder.hideNames === undefined) return embedder.embed([text, failure], "query");
    const hints = [...nameHints(incident), ...((await sessionNames) ?? [])];
    return embedder.embed(embedder.hideNames([text, failure], hints), "query");
  });
  const vectorAt = async (i: number) => (await vectors)[i] ?? [];
  const [report, ofFailure] = [vectorAt(0), vectorAt(1)];
  // The searches report a failure. Without a search, nobody waits for the vectors.
  for (const each of [vectors, report, ofFailure]) each.catch(() => {});
  return { text, report, failure: ofFailure };
}

/**
 * The words that past incidents are searched for. It leaves out the target's name: the name is a rare word, so incidents of
 * the same target would outrank incidents of the same failure. It includes the error lines: often they alone distinguish
 * similar failures.
 */
export function failureText({ evidence, target }: Incident, text: string): string {
  const reportText = [text, ...searchLines(evidence)].join("\n");
  const nameless = withoutName(reportText, withoutMarkers(target ?? ""));
  // If the report is nothing but the name, search for the name.
  return tokenize(nameless).length > 0 ? nameless : reportText;
}
