// Headlines that repeat the headline of a past incident in nearly the same words. Pure functions.

import { isSymptom } from "../../../lib/mechanisms/weigh-mechanisms.ts";
import { tokenizeWords } from "../../../lib/text/tokenize.ts";
import type { FailureText } from "./failure-text.ts";

/**
 * A headline without a log that names the trouble in nearly the words of a record; in similar words, on the same service; in words
 * that all stand in the headline and the error lines of the record.
 */
const SAME_HEADLINE_PROBABILITY = 0.5;
const SAME_SERVICE_PROBABILITY = 0.4;
const COVERED_PROBABILITY = 0.4;
const MIN_HEADLINE_SHARE = 0.65;
const MIN_SERVICE_SHARE = 0.2;
const MIN_WORDS = 3;
const MIN_WORDS_OF_TROUBLE = 2;
/** Words that are not vague, such as `exit code 137` or `too many clients`. */
const MIN_COVERED_WORDS = 2;
/** Words of headlines that say only that something is wrong. */
const VAGUE_WORDS: ReadonlySet<string> = new Set(
  tokenizeWords(
    "service services application app system platform site api availability unavailable disruption outage incident alert issue " +
      "problem error errors rate high elevated multiple responses response degraded degradation performance slow latency down " +
      "broken failed failing failure not working unhealthy health check synthetic user users customer customers facing report " +
      "reports reported slo burn too wrong since 5xx 500 again critical warning",
  ),
);

/**
 * The least probability of a record for a report without a log. Vague headlines are equal for many failures, so nearly equal words
 * need a common mechanism that is no symptom, or the alert.
 */
export function headlineProbability(report: FailureText, record: FailureText, isSameTarget: boolean): number {
  if (report.logWords.size > 0) return 0;
  const shared = [...report.headline].filter((term) => record.headline.has(term));
  const words = shared.length;
  const share = words / Math.max(1, new Set([...report.headline, ...record.headline]).size);
  const isSameAlert = report.signature.alert !== null && report.signature.alert === record.signature.alert;
  const isSameTrouble =
    isSameAlert || [...report.mechanisms.keys()].some((name) => !isSymptom(name) && record.mechanisms.has(name));
  if (isSameTrouble && words >= MIN_WORDS && share >= MIN_HEADLINE_SHARE) return SAME_HEADLINE_PROBABILITY;
  const specific = shared.filter((term) => !VAGUE_WORDS.has(term)).length;
  const isEnough = specific >= MIN_WORDS || (isSameTrouble && words >= MIN_WORDS_OF_TROUBLE);
  if (isSameTarget && isEnough && share >= MIN_SERVICE_SHARE) return SAME_SERVICE_PROBABILITY;
  return isCovered(report, record) ? COVERED_PROBABILITY : 0;
}

function isCovered(report: FailureText, record: FailureText): boolean {
  const specific = [...report.headline].filter((term) => !VAGUE_WORDS.has(term));
  return specific.length >= MIN_COVERED_WORDS && specific.every((term) => record.terms.has(term));
}
