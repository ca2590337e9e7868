// Answers of the relevance bench (`npm run bench -- relevance --json FILE`), read for their calibration.

import { readFileSync } from "node:fs";
import { z } from "zod";
import type { GradedAnswer } from "../../functions/quality/reliability.ts";

/** The answers to the reports of one corpus. */
export interface CorpusAnswers {
  readonly name: string;
  /** Graded by the best recalled runbook, whatever the outcome. Wordings of one report are one case. */
  readonly answers: readonly GradedAnswer[];
}

const fileSchema = z.array(
  z.object({
    name: z.string(),
    answers: z.array(
      z.object({
        report: z.object({ id: z.string(), form: z.string() }),
        confidence: z.number().min(0).max(1),
        isBestRight: z.boolean(),
      }),
    ),
  }),
);

/** @throws Error that names the file, when it is missing or is not such a file */
export function readRelevanceAnswers(path: string): CorpusAnswers[] {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Error(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  const parsed = fileSchema.safeParse(content);
  if (!parsed.success)
    throw new Error(`${path} is not a file of npm run bench -- relevance --json: ${z.prettifyError(parsed.error)}`);
  return parsed.data.map(({ name, answers }) => ({
    name,
    answers: answers.map(({ report, confidence, isBestRight }) => ({
      caseId: caseOf(report),
      confidence,
      isRight: isBestRight,
    })),
  }));
}

/** The id of a report ends in its form when it is asked in several. */
function caseOf({ id, form }: { readonly id: string; readonly form: string }): string {
  return id.endsWith(`/${form}`) ? id.slice(0, -form.length - 1) : id;
}
