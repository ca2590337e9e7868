// Redaction of results: sources return labels, log lines, cells and objects that may hold secrets and personal data.

import type { Judgement } from "../../lib/checks/judge.ts";
import type { QueryResult } from "../../lib/checks/scope/query.ts";
import type { Redact } from "../../lib/redaction/redact.ts";
import { plainText } from "../../lib/text/plain-text.ts";

export interface ResultScrubber {
  /** The result without secrets and personal data. Numbers, times and the structure stay. */
  readonly result: (result: QueryResult) => QueryResult;
  /** The judgement of a result that was not scrubbed: a marker has no value to compare. */
  readonly judgement: (judgement: Judgement) => Judgement;
}

export function createResultScrubber(redact: Redact): ResultScrubber {
  return { result: scrubResult, judgement: scrubJudgement };

  function scrubResult(result: QueryResult): QueryResult {
    switch (result.kind) {
      case "too_large":
        return result;
      case "series":
        return {
          kind: "series",
          series: result.series.map(({ labels, points }) => ({ labels: scrubRecord(labels), points })),
        };
      case "lines":
        return {
          kind: "lines",
          lines: result.lines.map(({ time, labels, text }) => ({
            time,
            labels: scrubRecord(labels),
            text: scrub(text),
          })),
        };
      case "rows": {
        const { columns } = result;
        const rows = result.rows.map((row) =>
          row.map((cell, i) => (typeof cell === "string" ? scrubNamed(columns[i] ?? "", cell) : cell)),
        );
        return { kind: "rows", columns, rows };
      }
      case "objects":
        return { kind: "objects", objects: result.objects.map((object) => scrubValue("", object)) };
    }
  }

  function scrubJudgement(judgement: Judgement): Judgement {
    const { value } = judgement;
    return { ...judgement, statement: scrub(judgement.statement), value: value === null ? null : scrub(value) };
  }

  function scrubRecord(record: Readonly<Record<string, string>>): Record<string, string> {
    return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, scrubNamed(name, value)]));
  }

  function scrubValue(name: string, value: unknown): unknown {
    if (typeof value === "string") return scrubNamed(name, value);
    if (Array.isArray(value)) return value.map((each) => scrubValue(name, each));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [scrub(key), scrubValue(key, each)]));
  }

  /** The name is context: `hunter2` is a secret as a password only. */
  function scrubNamed(name: string, value: string): string {
    if (name === "") return scrub(value);
    const prefix = `${name}: `;
    const text = scrub(prefix + value);
    return text.startsWith(prefix) ? text.slice(prefix.length) : text;
  }

  function scrub(text: string): string {
    return redact(plainText(text)).text;
  }
}
