// Which checks of the recalled runbooks a triage runs, and against which source. Pure functions.

import { LANGUAGES } from "../../../lib/checks/languages.ts";
import { parseSectionChecks, type SectionCheck } from "../../../lib/checks/parse-checks.ts";
import type { ScopedQuery } from "../../../lib/checks/scope/check-language.ts";
import { chooseSource } from "../../evidence-sources/source-choice.ts";
import type { Calibration } from "../../schemas/calibration.ts";
import type { EvidenceSourceDefinition } from "../../schemas/evidence/source.ts";
import type { Incident } from "../../schemas/incident.ts";
import { isOfCause } from "../evidence/check-verdicts.ts";
import { itemsOf } from "../evidence/section-items.ts";
import { kindOf, type RecalledRunbook } from "../recall/recall-result.ts";
import { withVerdict } from "./apply-checks.ts";

/** Checks of one triage that are run. */
const MAX_PLANNED_CHECKS = 8;
/** Runbooks whose checks are run. */
const MAX_RUNBOOKS = 3;

export interface PlannedCheck {
  readonly definition: SectionCheck;
  readonly runbook: RecalledRunbook;
  /** The whole text of the listed cause that it belongs to. */
  readonly cause: string | null;
  readonly plan:
    | { readonly state: "ready"; readonly source: EvidenceSourceDefinition; readonly scoped: ScopedQuery }
    /** One sentence for people. */
    | { readonly state: "not_run"; readonly reason: string };
}

/** The checks of the nearest runbooks, in their order; at most MAX_PLANNED_CHECKS of them are ready. */
export function planChecks(
  runbooks: readonly RecalledRunbook[],
  {
    incident,
    sources,
    possibleThreshold,
    calibration,
    at,
  }: {
    readonly incident: Incident;
    readonly sources: readonly EvidenceSourceDefinition[];
    /** Of a candidate. Runbooks that a confirmed check could not lift to it are not checked. */
    readonly possibleThreshold: number;
    readonly calibration: Calibration;
    /** The time that queries ask about. */
    readonly at: Date;
  },
): PlannedCheck[] {
  const nearest = runbooks
    .filter((runbook) => kindOf(runbook) === "runbook")
    .filter(({ relevance }) => withVerdict(relevance, "confirmed", calibration).probability >= possibleThreshold)
    .toSorted((a, b) => b.relevance.probability - a.relevance.probability)
    .slice(0, MAX_RUNBOOKS);
  let ready = 0;
  return nearest.flatMap((runbook) =>
    parseSectionChecks(runbook.sections).map((definition): PlannedCheck => {
      const plan = planOf(definition, { incident, sources, at });
      const isBeyond = plan.state === "ready" && ++ready > MAX_PLANNED_CHECKS;
      const reason = `a triage runs at most ${MAX_PLANNED_CHECKS} checks`;
      const cause = causeOf(definition, runbook);
      return { definition, runbook, cause, plan: isBeyond ? { state: "not_run", reason } : plan };
    }),
  );
}

function planOf(
  { language, query, match }: SectionCheck,
  {
    incident,
    sources,
    at,
  }: { readonly incident: Incident; readonly sources: readonly EvidenceSourceDefinition[]; readonly at: Date },
): PlannedCheck["plan"] {
  const { labels, domain } = incident;
  const choice = chooseSource(sources, { language, labels, domain: domain.name });
  if (choice.state !== "chosen") return { state: "not_run", reason: choice.reason };
  const prepared = LANGUAGES[language].prepare(query, { labels, match, now: at });
  return prepared.ok
    ? { state: "ready", source: choice.source, scoped: prepared.value }
    : { state: "not_run", reason: prepared.reason };
}

/** The listed cause whose beginning the check names. */
function causeOf(definition: SectionCheck, runbook: RecalledRunbook): string | null {
  if (definition.cause === null) return null;
  const listed = itemsOf(runbook, "causes").find(({ item }) => isOfCause(definition, item.text));
  return listed?.item.text ?? definition.cause;
}
