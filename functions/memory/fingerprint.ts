// The fingerprint of a failure: equal for repeats of one incident. Pure functions.

import { createHash } from "node:crypto";
import { TIMESTAMP, UNIQUE_IDS } from "../retrieval/error-lines/log-time.ts";
import type { Incident } from "../schemas/incident.ts";

const PERCENTAGE = /\b\d+(?:[.,]\d+)?\s?(?:%|percent\b)/g;
const DATE_OR_TIME = /\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}:\d{2}\b/g;
/** The random suffix of pod names: -7c9f8d6b5-x2x4z, -x2x4z; never digits alone. */
const POD_SUFFIX =
  /-(?:[a-f0-9]{8,10}-[a-z0-9]{5}|(?=[a-z]*\d)(?=\d*[a-z])[bcdfghjklmnpqrstvwxz2456789]{5})(?![a-z0-9-])/g;

/**
 * Hashes domain, type, target and title without the parts that differ between repeats, such as times, percentages and
 * random ids. Plain numbers stay: exit code 137 is not exit code 1.
 */
export function fingerprint({
  domain,
  type,
  target,
  title,
}: Pick<Incident, "domain" | "type" | "target" | "title">): string {
  const withoutVariableParts = (text: string) =>
    text
      .replace(TIMESTAMP, " ")
      .replace(UNIQUE_IDS, " ")
      .toLowerCase()
      .replace(PERCENTAGE, " n% ")
      .replace(DATE_OR_TIME, " ")
      .replace(POD_SUFFIX, " ")
      .replace(/\s+/g, " ")
      .trim();
  return createHash("sha256")
    .update(JSON.stringify([domain.name, type.name, withoutVariableParts(target ?? ""), withoutVariableParts(title)]))
    .digest("hex");
}
