// Shared parts of model requests in the background: sanitising their text and recording their token usage.

import { readsAsInstruction } from "../../../lib/injection/detect-injection.ts";
import { type LinkPolicy, removeLinks } from "../../../lib/links/remove-links.ts";
import { redact } from "../../../lib/redaction/redact.ts";
import { settle } from "../../dependencies.ts";
import { recordModelUsage } from "../../incidents/run-records.ts";
import type { InvestigationServices } from "../run/investigation-services.ts";
import type { Run } from "../run/run.ts";

const NO_LINKS: LinkPolicy = { hosts: new Set(), urls: new Set() };

/** A model's text without links, secrets and personal data; empty if it reads like an instruction to a model. */
export function sanitiseModelText(text: string): string {
  const plain = removeLinks(text.trim(), NO_LINKS).text;
  return readsAsInstruction(plain) ? "" : redact(plain).text;
}

/** Records the token usage of a run, successful or not. Never throws a DependencyError. */
export async function recordUsage(services: InvestigationServices, run: Run, incidentId: string | null): Promise<void> {
  const { background, now, log } = services;
  const usage = { runId: run.id, incidentId, at: now(), usage: run.usage() };
  const recorded = await settle(recordModelUsage(background.database, usage));
  if (!recorded.ok) log("warn", "model.usage_unrecorded", { run_id: run.id, error: recorded.error.message });
}
