// The parts of a report that its record keeps: what identifies the failure, on which service and when. Pure functions.

import type { FailureSignature } from "../schemas/failure-signature.ts";
import type { Incident } from "../schemas/incident.ts";
import { readSignature, signatureFingerprint } from "./read-signature.ts";

export interface ObservedReport {
  readonly incidentId: string;
  /** The question, or else the title. */
  readonly task: string;
  /** Equal for repeats of one failure. */
  readonly fingerprint: string;
  readonly signature: FailureSignature;
  readonly target: string | null;
  readonly reportedAt: Date;
}

export function observedReport(incident: Incident): ObservedReport {
  const signature = readSignature(incident);
  return {
    incidentId: incident.id,
    task: incident.question ?? incident.title,
    fingerprint: signatureFingerprint(signature, incident),
    signature,
    target: incident.target,
    reportedAt: incident.createdAt,
  };
}

export function fingerprintOfReport(incident: Incident): string {
  return signatureFingerprint(readSignature(incident), incident);
}
