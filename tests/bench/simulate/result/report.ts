// The report for people: the burst, the use of each resource, and the ladder of limits.

import type { ResourceUse } from "../platform/resources.ts";
import type { Step } from "./ladder.ts";
import type { Outcome } from "./outcome.ts";
import { REMEDIES } from "./remedies.ts";

const LABEL_WIDTH = 44;

export function describeOutcome({ burst, delivery, stored, largestBacklog, errors }: Outcome): string {
  const { statuses, decisions, offered, requests } = delivery;
  const refused = Object.entries(statuses).filter(([status]) => status !== "202");
  const list = (counts: readonly (readonly [string, number])[]) =>
    counts.map(([name, count]) => `${number(count)} × ${name}`).join(", ") || "none";
  const row = (label: string, value: string) => `  ${label.padEnd(LABEL_WIDTH)}${value}`;
  return [
    `Burst: ${number(burst.alerts)} alerts of ${number(burst.teams)} teams with ${number(burst.tokens)} tokens, seed ${burst.seed}`,
    row("alerts offered, repeats included", number(offered)),
    row("webhook requests", number(requests)),
    row("requests refused and sent again", list(refused)),
    row("alerts stored", number(stored.alerts)),
    row("alerts grouped, deduplicated", `${number(decisions.grouped ?? 0)}, ${number(decisions.deduplicated ?? 0)}`),
    row("incidents created, answered", `${number(stored.incidents)}, ${number(stored.answered)}`),
    row("answers with a warning", number(stored.degraded)),
    row("last alert stored after", duration(stored.lastAlertAfter)),
    row("longest delivery of a webhook", duration(delivery.longestDeliveryMs / 1_000)),
    row("first, median, last answer after", answers(stored.answeredAfter)),
    row("from incident to answer", delays(stored.answerDelay)),
    row("largest backlog of dejavu-triages", number(largestBacklog)),
    ...(Object.keys(errors).length === 0 ? [] : [row("errors in the log", list(Object.entries(errors)))]),
  ].join("\n");
}

export function describeUses(uses: readonly ResourceUse[]): string {
  const lines = uses.map((use) => {
    const { name, peak, limit, reachedAt, longestWaitMs, refused } = use;
    const percent = limit > 0 && Number.isFinite(limit) ? `${Math.round((peak / limit) * 100)} %` : "";
    return [
      REMEDIES[name].label.padEnd(LABEL_WIDTH),
      `${number(peak)} of ${number(limit)}`.padStart(16),
      percent.padStart(7),
      (reachedAt === null ? "" : duration(reachedAt / 1_000)).padStart(12),
      (longestWaitMs < 1 ? "" : duration(longestWaitMs / 1_000)).padStart(12),
      (refused === 0 ? "" : number(refused)).padStart(9),
    ].join("");
  });
  const head = [
    "resource".padEnd(LABEL_WIDTH),
    "peak".padStart(16),
    "".padStart(7),
    "reached".padStart(12),
    "longest".padStart(12),
    "refused".padStart(9),
  ];
  return [`  ${head.join("")}`, ...lines.map((line) => `  ${line}`)].join("\n");
}

export function describeLadder(ladder: readonly Step[]): string {
  return ladder
    .flatMap(({ change, withoutEffect, outcome, limit }, i) => {
      const { stored } = outcome;
      return [
        `${i + 1}. ${change ?? "settings as they are"}`,
        `   last alert stored after ${duration(stored.lastAlertAfter)}, last answer after ${duration(stored.answeredAfter.last)}`,
        `   from incident to answer: ${delays(stored.answerDelay)}; ${number(stored.degraded)} answers with a warning`,
        ...describeLimit(limit),
        ...withoutEffect.map((tried) => `   without effect: ${tried}`),
      ];
    })
    .join("\n");
}

function describeLimit(limit: ResourceUse | null): string[] {
  if (limit === null) return ["   no limit is reached"];
  const { label, noticed, otherwise, ways } = REMEDIES[limit.name];
  return [
    `   first limit: ${label}, after ${duration((limit.reachedAt ?? 0) / 1_000)}`,
    `   users notice: ${noticed}`,
    ...(ways.length === 0 ? [`   no setting helps: ${otherwise}`] : []),
  ];
}

function delays({ median, p95, longest }: Outcome["stored"]["answerDelay"]): string {
  return `median ${duration(median)}, p95 ${duration(p95)}, longest ${duration(longest)}`;
}

function answers({ first, median, last }: Outcome["stored"]["answeredAfter"]): string {
  return [first, median, last].map(duration).join(", ");
}

function number(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: 0 });
}

/** @param seconds such as 0.4 s, 38 s, 4 min 10 s */
export function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const rounded = Math.round(seconds);
  if (rounded < 60) return `${rounded} s`;
  const minutes = Math.floor(rounded / 60);
  return minutes < 60 ? `${minutes} min ${rounded % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
