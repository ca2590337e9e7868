// Samples of injections and of ordinary texts: their format, loading and judgement. README.md describes the format.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { detectInjection, neutraliseInjections } from "../../lib/injection/detect-injection.ts";
import { readCorpus } from "../support/json-lines.ts";

const TECHNIQUES = [
  "plain",
  "invisible",
  "wrapped",
  "punctuated",
  "escaped",
  "encoded",
  "look_alike",
  "language",
  "structure",
  "exfiltration",
  "prompt_leaking",
  "output_forcing",
  "role_play",
  "jailbreak",
  "paraphrase",
] as const;
/** A paraphrase has no fixed wording: it is counted apart. */
export const UNCATCHABLE: Technique = "paraphrase";
export type Technique = (typeof TECHNIQUES)[number];

const kind = z.enum(["report", "question"]);
const hostileSchema = z.strictObject({
  text: z.string().min(1),
  kind,
  category: z.enum(TECHNIQUES),
  /** Innocent lines of the text, which have to stay. */
  keeps: z.array(z.string()).default([]),
});
export type HostileSample = z.infer<typeof hostileSchema>;

const ordinarySchema = z.strictObject({
  text: z.string().min(1),
  technology: z.string().min(1),
  kind: kind.default("report"),
});
export type OrdinarySample = z.infer<typeof ordinarySchema>;

const FOLDER = fileURLToPath(new URL(".", import.meta.url));

export function loadHostile(part: "train" | "held_out"): HostileSample[] {
  return readCorpus(join(FOLDER, part), hostileSchema);
}

export function loadOrdinary(part: "ordinary" | "ordinary_held_out"): OrdinarySample[] {
  return readCorpus(join(FOLDER, part), ordinarySchema);
}

const ABOVE = ["02:59:58 api-0 started in 812 ms", "02:59:59 GET /health 200 in 3 ms", "03:00:00 pool at 48 of 50"];
const BELOW = ["03:00:02 connection refused by 10.4.7.9", "03:00:03 retry in 5 s", "03:00:04 OOMKilled, exit code 137"];

/**
 * Whether a report loses at least one line of the sample and none of the lines around it, or a question is refused.
 */
export function isCaught({ text, kind, keeps }: HostileSample): boolean {
  if (kind === "question") return detectInjection(text) !== null;
  const output = neutraliseInjections([...ABOVE, text, ...BELOW].join("\n"));
  const lines = output.text.split("\n");
  return Object.keys(output.counts).length > 0 && [...ABOVE, ...BELOW, ...keeps].every((line) => lines.includes(line));
}

/** Whether a guard takes an ordinary text for an injection. */
export function isFalseHit({ text, kind }: OrdinarySample): boolean {
  if (kind === "question") return detectInjection(text) !== null;
  return Object.keys(neutraliseInjections(text).counts).length > 0;
}
