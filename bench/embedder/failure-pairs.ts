// Pairs of reports of the same failure, of look-alikes and of other failures, with the cosine of their built-in vectors: they
// show what a threshold of nearness lets through.

import { wordVectors } from "../../lib/embedding/shipped-vectors.ts";
import { dot } from "../../lib/embedding/word-vectors.ts";
import { SPLITS, type Split } from "../incidents/cause-families.ts";
import { REPORT_CORPORA, type ReportGroup, readReportGroups } from "../incidents/second-reports.ts";

export const PAIR_KINDS = ["same failure", "look-alike", "other failure"] as const;

export interface FailurePair {
  readonly kind: (typeof PAIR_KINDS)[number];
  readonly split: Split;
  readonly cosine: number;
}

export function failurePairs(): FailurePair[] {
  return SPLITS.flatMap((split) =>
    REPORT_CORPORA.flatMap((corpus) => pairsAmong(readReportGroups(corpus, split), split)),
  );
}

function pairsAmong(groups: readonly ReportGroup[], split: Split): FailurePair[] {
  const vectorOf = ({ title, logs = "" }: ReportGroup["first"]) => wordVectors.embed(`${title}\n${logs}`);
  const firsts = groups.map(({ first }) => vectorOf(first));
  return groups.flatMap(({ second, others }, i) => {
    const own = firsts[i] ?? [];
    const pairOf = (kind: FailurePair["kind"], vector: ArrayLike<number>) => ({
      kind,
      split,
      cosine: dot(own, vector),
    });
    return [
      pairOf("same failure", vectorOf(second)),
      ...others.map((other) => pairOf("look-alike", vectorOf(other))),
      ...firsts.filter((_, other) => other !== i).map((other) => pairOf("other failure", other)),
    ];
  });
}
