// The steps of an answer with their state, which everybody who works on the incident shares.

import { createHash } from "node:crypto";
import { z } from "zod";
import type { Database } from "../../adapters/database.ts";
import { type Step, stepSchema } from "../../schemas/answer.ts";
import type { TriageResult } from "../../schemas/triage-result.ts";
import { type TickedStep, tickedStepSchema } from "../incident-records.ts";

export const STEP_KEY = /^[0-9a-f]{16}$/;

export const incidentStepSchema = z.object({
  key: z.string().regex(STEP_KEY).describe("Identifies the step by its text and command."),
  kind: z
    .enum(["confirm", "candidate", "mitigate", "look_next"])
    .describe("The list of the answer that it is in; `candidate`: the checks of a possible cause."),
  text: z.string(),
  command: z.string().nullable(),
  effect: stepSchema.shape.effect,
  done: z.boolean(),
  by: z.string().nullable().describe("The person who changed it last; null if nobody did, or without a name."),
  at: z.string().nullable().describe("When it was changed last; null if nobody did."),
});
export type IncidentStep = z.infer<typeof incidentStepSchema>;

const KEY_DIGITS = 16;

/** Equal for steps with the same text and command, whatever their spacing: a later answer with the step keeps its state. */
function stepKey({ text, command }: Pick<Step, "text" | "command">): string {
  const parts = [text, command ?? ""].map((part) => part.replace(/\s+/g, " ").trim());
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, KEY_DIGITS);
}

/** Each step of the answer once, in its order. */
export function incidentSteps(triage: TriageResult | null, ticked: readonly TickedStep[]): IncidentStep[] {
  if (triage === null) return [];
  const { confirm, mitigate, look_next, possible_causes } = triage.answer;
  const all = [
    ...confirm.map((step) => stepOf("confirm", step)),
    ...possible_causes.flatMap((each) => each.confirm).map((step) => stepOf("candidate", step)),
    ...mitigate.map((step) => stepOf("mitigate", step)),
    ...look_next.map((step) => stepOf("look_next", step)),
  ];
  const steps = new Map(all.toReversed().map((step) => [step.key, step]));
  return [...steps.values()].toReversed().map((step) => {
    const state = ticked.find(({ key }) => key === step.key);
    return { ...step, done: state?.done ?? false, by: state?.by ?? null, at: state?.at ?? null };
  });
}

function stepOf(kind: IncidentStep["kind"], step: Step) {
  const { text, command, effect } = step;
  return { key: stepKey(step), kind, text, command, effect };
}

/** @returns null for an unknown incident @throws DependencyError */
export async function setIncidentStep(
  database: Database,
  step: {
    readonly incidentId: string;
    readonly key: string;
    readonly done: boolean;
    readonly by: string | null;
    readonly now: Date;
  },
): Promise<TickedStep | null> {
  const { incidentId, key, done, by, now } = step;
  const p = { incident_id: incidentId, key, done, by, now: now.toISOString() };
  return database.call("set_incident_step", { p }, tickedStepSchema.nullable(), { retries: 1 });
}
