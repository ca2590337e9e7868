// Owns what models' work that nobody waits for has in common: what of their words may be remembered, and the books.

import { DependencyError } from "../../dependencies.ts";
import { readsAsInstruction } from "../../guardrails/injection/detect-injection.ts";
import { type LinkPolicy, removeLinks } from "../../guardrails/links/remove-links.ts";
import { redact } from "../../guardrails/redaction/redact.ts";
import { recordModelUsage } from "../../incidents/run-records.ts";
import type { Run } from "../run/run.ts";
import type { InvestigationServices } from "../run/services.ts";

const NO_LINKS: LinkPolicy = { hosts: new Set(), urls: new Set() };

/** A model's words without links, secrets and personal data; empty where they read like an instruction to a model. */
export function sanitiseModelText(text: string): string {
  const plain = removeLinks(text.trim(), NO_LINKS).text;
  return readsAsInstruction(plain) ? "" : redact(plain).text;
}

/** Books what a run used, whatever came of it. Never throws an expected failure. */
export async function recordUsage(services: InvestigationServices, run: Run, incidentId: string | null): Promise<void> {
  const { background, now, log } = services;
  try {
    await recordModelUsage(background.database, { runId: run.id, incidentId, at: now(), usage: run.usage() });
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error;
    log("warn", "model.usage_unrecorded", { run_id: run.id, error: error.message });
  }
}
