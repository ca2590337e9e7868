// Whether other vectors than that of a whole record find it for a later report of its failure: those of its single lines, with
// the words of its fix, or of two of its reports.

import { wordVectors } from "../../lib/embedding/shipped-vectors.ts";
import { dot } from "../../lib/embedding/word-vectors.ts";
import { readEvidence } from "../../lib/logs/read-evidence.ts";
import type { Split } from "../incidents/cause-families.ts";
import { type ReportGroup, readReportGroups } from "../incidents/second-reports.ts";

type Report = ReportGroup["first"];

interface View {
  readonly name: string;
  /** A record and a report are as near as their nearest texts. */
  readonly textsOf: (group: ReportGroup) => readonly string[];
  readonly textsOfReport: (report: Report) => readonly string[];
  readonly later: "second" | "third";
}

const whole = ({ title, logs = "" }: Report): string => `${title}\n${logs}`;
const linesOf = ({ title, logs }: Report): string[] => [
  title,
  ...readEvidence({ headline: title, logs: logs ?? null, target: null, labels: {} }).lines.map(({ text }) => text),
];
const wholeReport = { textsOfReport: (report: Report) => [whole(report)] };
const second = { ...wholeReport, later: "second" } as const;
const third = { ...wholeReport, later: "third" } as const;

const VIEWS: readonly View[] = [
  { name: "whole reports", textsOf: ({ first }) => [whole(first)], ...second },
  { name: "single lines", textsOf: ({ first }) => linesOf(first), textsOfReport: linesOf, later: "second" },
  { name: "with the fix", textsOf: ({ first, fix }) => [`${whole(first)}\n${fix}`], ...second },
  { name: "third report: the first alone", textsOf: ({ first }) => [whole(first)], ...third },
  { name: "third report: the first two", textsOf: (group) => [whole(group.first), whole(group.second)], ...third },
];

/** The rank of the right record for each later report of a split, by view. */
export function ranksByView(split: Split): { readonly name: string; readonly ranks: readonly number[] }[] {
  const groups = readReportGroups("second-reports", split);
  const embed = (texts: readonly string[]) => texts.map(wordVectors.embed);
  return VIEWS.map(({ name, textsOf, textsOfReport, later }) => {
    const records = groups.map((group) => embed(textsOf(group)));
    const ranks = groups.flatMap((group, own) => {
      const report = group[later];
      if (report === undefined) return [];
      const query = embed(textsOfReport(report));
      const nearness = records.map((record) => Math.max(...record.flatMap((a) => query.map((b) => dot(a, b)))));
      return [nearness.filter((value) => value >= (nearness[own] ?? 0)).length];
    });
    return { name, ranks };
  });
}
