// What the steps of a model's answer share: the prompt material of one incident, the verifier and the draft counter.

import { readsAsInstruction } from "../../../lib/injection/detect-injection.ts";
import { removeLinks } from "../../../lib/links/remove-links.ts";
import type { SessionTurn } from "../../incidents/run-records.ts";
import { fingerprintOfReport } from "../../memory/observed-report.ts";
import { type Incident, nameHints } from "../../schemas/incident.ts";
import type { LiveEvidence } from "../../schemas/live-evidence.ts";
import { type CitableText, citableTexts, limitFor } from "../evidence/citable-texts.ts";
import { hintBlocks, observedBlock, reportBlocks, textBlocks } from "../prompts/context-blocks.ts";
import type { Recall } from "../recall/recall-result.ts";
import type { InvestigationServices, Models } from "../run/investigation-services.ts";
import type { Run } from "../run/run.ts";
import { createVerifier, type Verifier } from "./verifier.ts";
import { REMOVED_STATEMENT } from "./verify-draft.ts";

export interface AnswerContext {
  readonly config: InvestigationServices["config"];
  readonly models: Models;
  readonly run: Run;
  readonly incident: Incident;
  /** Texts that the answer may cite. */
  readonly texts: readonly CitableText[];
  /** Prompt text with sources, session and report; the same for every step. */
  readonly material: string;
  readonly nameHints: readonly string[];
  readonly verifier: Verifier;
  nextDraft(): number;
  /** Scrubs a model's remark so that it can be shown. */
  clean(remark: string): string;
}

export function createAnswerContext(
  { config, redact }: Pick<InvestigationServices, "config" | "redact">,
  work: {
    readonly models: Models;
    readonly run: Run;
    readonly incident: Incident;
    readonly recalled: Recall;
    readonly live: LiveEvidence;
    readonly turns: readonly SessionTurn[];
    readonly sessionNames: readonly string[];
  },
): AnswerContext {
  const { models, run, incident, recalled, live, turns, sessionNames } = work;
  const texts = citableTexts(recalled, limitFor(incident, config));
  const verifier = createVerifier(incident, texts, config);
  let drafts = 0;
  return {
    config,
    models,
    run,
    incident,
    texts,
    material: [
      textBlocks(texts, fingerprintOfReport(incident)),
      hintBlocks(recalled, turns),
      observedBlock(live),
      reportBlocks(incident, { turns, logLength: config.LOG_CONTEXT_LENGTH }),
    ]
      .filter((part) => part !== "")
      .join("\n\n"),
    nameHints: [...nameHints(incident), ...pastTargets(texts), ...observedNames(live), ...sessionNames],
    verifier,
    nextDraft: () => ++drafts,
    clean(remark) {
      const { text } = removeLinks(remark.trim(), verifier.links);
      return readsAsInstruction(text) ? REMOVED_STATEMENT : redact(text).text;
    },
  };
}

/** Names of objects, services and people that the observations show. */
function observedNames({ object, other_alerts, origin, changes }: LiveEvidence): string[] {
  const named = [
    ...(object === null ? [] : [{ target: object.name }, { namespace: object.namespace }]),
    ...(origin === null ? [] : [{ target: origin.object }]),
    ...other_alerts.flatMap(({ target, shared_labels }) => [{ target }, shared_labels]),
    ...changes.recent.flatMap(({ service, by }) => [{ service }, { user: by }]),
  ];
  return named.flatMap((pairs) =>
    Object.entries(pairs).flatMap(([key, value]) => (value === null ? [] : [`${key}="${value}"`])),
  );
}

/** The services of the past incidents: their titles name them. */
function pastTargets(texts: readonly CitableText[]): string[] {
  return texts.flatMap((text) =>
    text.kind === "incident" ? text.observation.targets.map((name) => `target="${name}"`) : [],
  );
}
