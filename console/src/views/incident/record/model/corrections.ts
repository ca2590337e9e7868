// What a person says is not right in an answer, as changes that the API takes. Pure functions.

import type { paths } from "../../../../../../client/client.js";
import type { Severity } from "../../../../../../functions/schemas/incident-values.ts";
import type { IncidentDetail } from "../../answer/model/incident.ts";

export type Part = "runbook" | "cause" | "step" | "domain" | "severity";

export interface CorrectionForm {
  readonly parts: ReadonlySet<Part>;
  /** Path of the right one; empty for none of those that there are; null until a person chooses. */
  readonly runbook: string | null;
  /** What it was, where there is no runbook for it. */
  readonly failure: string;
  /** The wrong one, as the answer says it, and what is right. */
  readonly cause: string;
  readonly rightCause: string;
  readonly step: string;
  readonly rightStep: string;
  readonly domain: string;
  readonly severity: Severity;
  readonly comment: string;
}

type FeedbackBody = paths["/v1/triages/{id}/feedback"]["post"]["requestBody"]["content"]["application/json"];

export interface CorrectionChanges {
  readonly feedback: FeedbackBody;
  /** Each is a request of its own. */
  readonly edits: readonly ({ readonly domain: string } | { readonly severity: Severity })[];
}

export function emptyForm({ domain, severity }: Pick<IncidentDetail, "domain" | "severity">): CorrectionForm {
  const texts = { runbook: null, failure: "", cause: "", rightCause: "", step: "", rightStep: "", comment: "" };
  return { ...texts, parts: new Set<Part>(), domain: domain.name, severity };
}

/** What is missing, as a sentence for the person; null if the form is complete. */
export function missingIn(form: CorrectionForm, incident: Pick<IncidentDetail, "domain" | "severity">): string | null {
  const { parts, runbook, comment, domain, severity } = form;
  if (parts.size === 0 && comment.trim() === "") return "Choose what is not right, or write it.";
  if (parts.has("runbook") && runbook === null) return "Choose the right runbook, or None of these.";
  if (parts.has("domain") && domain === incident.domain.name) return "Choose the right domain.";
  return parts.has("severity") && severity === incident.severity ? "Choose the right severity." : null;
}

/** Domain and severity are no judgement of the answer: alone, they do not rate it. */
export function changesOf(
  form: CorrectionForm,
  incident: Pick<IncidentDetail, "domain" | "severity">,
): CorrectionChanges {
  const { parts, domain, severity } = form;
  const isWithoutRunbook = parts.has("runbook") && form.runbook === "" && form.failure.trim() !== "";
  const comment = [...(isWithoutRunbook ? [`No runbook is about it: ${form.failure.trim()}`] : []), form.comment.trim()]
    .filter((text) => text !== "")
    .join("\n");
  const correction = (part: Part, was: string, right: string) => ({
    part,
    ...(was.trim() === "" ? {} : { was: was.trim() }),
    ...(right.trim() === "" ? {} : { right: right.trim() }),
  });
  const all = [
    correction("runbook", "", form.runbook ?? ""),
    correction("cause", form.cause, form.rightCause),
    correction("step", form.step, form.rightStep),
    correction("domain", incident.domain.name, domain),
    correction("severity", incident.severity, severity),
  ];
  const corrections = all.filter(({ part }) => parts.has(part));
  const isAnswerCorrected = corrections.some(({ part }) => ANSWER_PARTS.has(part));
  return {
    feedback: {
      ...(isAnswerCorrected || parts.size === 0 ? { rating: "down" } : {}),
      ...(comment === "" ? {} : { comment }),
      ...(corrections.length === 0 ? {} : { corrections }),
    },
    edits: [...(parts.has("domain") ? [{ domain }] : []), ...(parts.has("severity") ? [{ severity }] : [])],
  };
}

const ANSWER_PARTS: ReadonlySet<Part> = new Set(["runbook", "cause", "step"]);
