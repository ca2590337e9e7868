// Numbers and records in sentences. Pure functions.

import { cameBack } from "../../../functions/answer-view/past-incident-text.ts";
import { importedFrom } from "../../../functions/schemas/imported-from.ts";
import { ageOf } from "./time.ts";

/** `1 report`, `3 reports`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Such as `420 ms` and `1.8 s`. */
export function milliseconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}

/** `+0.12`, `−0.30` */
export function signed(value: number): string {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
}

interface Proof {
  readonly tried: number;
  readonly worked: number;
}

/** How well a fix is proven: `worked 3 of 4 times`, `worked once`, `tried 2 times, never helped`. */
export function proofOf({ tried, worked }: Proof): string {
  if (tried === 0) return "not tried yet";
  if (worked === 0) return `tried ${tried === 1 ? "once" : `${tried} times`}, never helped`;
  return tried === 1 ? "worked once" : `worked ${worked} of ${tried} times`;
}

interface DatedProof extends Proof {
  readonly last_worked_at: string | null;
  readonly last_worked_by: string | null;
  readonly imported_from: string | null;
}

/** Such as `worked 3 of 4 times, last 12 days ago by dana, imported from PagerDuty`. @param now milliseconds since 1970 */
export function datedProofOf(fix: DatedProof, now: number): string {
  const { tried, last_worked_at, last_worked_by, imported_from } = fix;
  const when = last_worked_at === null ? "" : `${tried === 1 ? "" : ", last"} ${ageOf(last_worked_at, now)}`;
  const origin = imported_from === null ? "" : `, ${importedFrom(imported_from)}`;
  return `${proofOf(fix)}${when}${last_worked_by ? ` by ${last_worked_by}` : ""}${origin}`;
}

/** With whether the failure came back. @param now milliseconds since 1970 */
export function proofLines(fix: DatedProof & Parameters<typeof cameBack>[0], now: number): string[] {
  return [datedProofOf(fix, now), ...cameBack(fix).map((back) => `it ${back}`)];
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Names that people chose are whole; a generated id is its first eight characters. */
export function shortId(id: string): string {
  return UUID.test(id) ? id.slice(0, 8) : id;
}
