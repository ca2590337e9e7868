// The timeline of an incident in words: its events, and the steps that people did. Pure functions.

import { outcomeText } from "./outcome-name.ts";
import { minuteOf } from "./time-text.ts";

interface Event {
  readonly at: string;
  readonly kind: string;
  readonly detail: Readonly<Record<string, string | number | boolean | readonly string[] | null>>;
}

interface StepState {
  readonly done: boolean;
  readonly at: string | null;
  readonly by: string | null;
  readonly text: string;
}

export interface TimelineEntry {
  readonly at: string;
  readonly text: string;
  /** What a person wrote, such as a fix; null without one. */
  readonly quote: string | null;
  readonly tone: "neutral" | "good" | "bad" | "info";
  /** Number of equal events in a row. */
  readonly times: number;
}

export interface Correction extends TimelineEntry {
  /** Path of the right one; null if it is about something else, or there is none. */
  readonly runbook: string | null;
}

/** Oldest first. Repeated alerts in a row are one entry. */
export function timelineOf({
  events,
  steps,
}: {
  readonly events: readonly Event[];
  readonly steps: readonly StepState[];
}): TimelineEntry[] {
  const ofSteps = steps.flatMap(({ done, at, by, text }) =>
    done && at !== null ? [entry(at, `${by ?? "Somebody"} did a step`, { quote: text })] : [],
  );
  const all = [...events.map(entryOf), ...ofSteps].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const shown: TimelineEntry[] = [];
  for (const next of all) {
    const last = shown.at(-1);
    const isRepeat = last !== undefined && last.text === next.text && last.quote === null && next.quote === null;
    if (isRepeat) shown.splice(-1, 1, { ...last, at: next.at, times: last.times + 1 });
    else shown.push(next);
  }
  return shown;
}

/** What people corrected in an answer since then, oldest first. @param at of the answer */
export function correctionsSince(events: readonly Event[], at: string): Correction[] {
  return events
    .filter((event) => event.kind === "corrected" && Date.parse(event.at) >= Date.parse(at))
    .map((event) => {
      const { part, right } = event.detail;
      return { ...entryOf(event), runbook: part === "runbook" && typeof right === "string" ? right : null };
    });
}

/** What happened, on one line: `An alert was reported again (3 times)`, `Resolved by dana: restarted it`. */
export function entryText({ text, quote, times }: Omit<TimelineEntry, "at" | "tone">): string {
  const whole = `${text}${times > 1 ? ` (${times} times)` : ""}${quote === null ? "" : `: ${quote}`}`;
  return whole.replace(/\s+/g, " ");
}

function entryOf({ at, kind, detail }: Event): TimelineEntry {
  const text = (name: string) => (typeof detail[name] === "string" ? detail[name] : null);
  const by = (name: string) => text(name) ?? "Somebody";
  switch (kind) {
    case "reported":
      return entry(at, "Reported");
    case "alert_repeated":
      return entry(at, `An alert was reported again${targetsOf(detail)}`);
    case "alert_grouped":
      return entry(at, `Another alert was grouped into it${targetsOf(detail)}`);
    case "alert_resolved":
      return entry(at, `An alert ended${targetsOf(detail)}`, { tone: "good" });
    case "triaged":
      return entry(at, answeredText(detail), { tone: "info" });
    case "attempt_failed":
      return entry(at, `An investigation failed${reasonOf(detail)}, and is repeated`, { tone: "bad" });
    case "failed":
      return entry(at, `The investigation failed${reasonOf(detail)}`, { tone: "bad" });
    case "tried":
      return entry(at, `${by("by")} tried an action that ${detail.helped === true ? "helped" : "did not help"}`, {
        quote: text("action"),
      });
    case "resolved":
      if (text("rule") === "no incident") return entry(at, "Closed: it is no incident");
      return text("resolution") === null
        ? entry(at, "Resolved: all its alerts have ended", { tone: "good" })
        : entry(at, `Resolved by ${text("resolved_by") ?? "somebody"}`, { quote: text("resolution"), tone: "good" });
    case "reopened":
      return entry(at, `Reopened by ${text("by") ?? "somebody"}`, { quote: text("reason"), tone: "bad" });
    case "domain_corrected":
      return entry(
        at,
        `${by("by")} corrected the domain from ${text("was") ?? "another"} to ${text("domain") ?? "this"}`,
      );
    case "corrected":
      return entry(at, `${by("by")} corrected ${CORRECTED[text("part") ?? ""] ?? "the answer"}`, {
        quote: correctionOf(text("was"), text("right")),
        tone: "info",
      });
    case "notification_failed":
      return entry(at, `The notification target ${text("target") ?? ""} did not take the message for a day`, {
        tone: "bad",
      });
    case "acknowledged":
      return entry(
        at,
        text("was") === null ? `${by("by")} acknowledged it` : `${by("by")} took it over from ${text("was")}`,
        {
          tone: "info",
        },
      );
    case "acknowledgement_withdrawn":
      return entry(at, `${by("by")} withdrew the acknowledgement`);
    case "owner_changed":
      return entry(at, text("owner") === null ? "It has no owner any more" : `${text("owner")} has it`);
    case "edited":
      return entry(at, `${by("by")} edited ${editedText(detail)}`, { quote: text("title") });
    case "muted":
      return entry(at, `${by("by")} muted it until ${minuteOf(text("until") ?? at)} UTC`, { quote: text("reason") });
    case "mute_ended":
      return entry(at, `${by("by")} ended its mute`);
    case "merged":
      return entry(at, `${by("by")} merged another incident into it`, { quote: text("title") });
    case "merged_into":
      return entry(at, `${by("by")} merged it into another incident`, { quote: text("title") });
    case "split":
      return entry(at, `${by("by")} split off an incident of its own${targetsOf(detail)}`);
    case "split_from":
      return entry(at, `${by("by")} split it off from another incident`, { quote: text("title") });
    case "commented":
      return entry(at, `${by("by")} commented`, { quote: text("text"), tone: "info" });
    case "fix_checked":
      return detail.held === true
        ? entry(at, "The fix has held until now", { tone: "good" })
        : entry(at, "The fix did not hold: the failure came back", { quote: text("fix"), tone: "bad" });
    default:
      return entry(at, kind.replaceAll("_", " "));
  }
}

const CORRECTED: Readonly<Record<string, string>> = { runbook: "the runbook", cause: "a cause", step: "a step" };

/** `not "Restart it.", but "Drain it first."`; the right one alone for a runbook; null if nothing is said. */
function correctionOf(was: string | null, right: string | null): string | null {
  if (was === null) return right;
  return right === null ? `not "${was}"` : `not "${was}", but "${right}"`;
}

/** `the title, and the severity from low to high` */
function editedText({ title, severity, severity_was }: Event["detail"]): string {
  return [
    ...(title === undefined ? [] : ["the title"]),
    ...(severity === undefined ? [] : [`the severity from ${severity_was} to ${severity}`]),
  ].join(", and ");
}

/** `: checkout, ledger` */
function targetsOf({ targets }: Event["detail"]): string {
  return Array.isArray(targets) && targets.length > 0 ? `: ${targets.join(", ")}` : "";
}

function answeredText({ outcome, confidence }: Event["detail"]): string {
  return `Answered: ${typeof outcome === "string" ? outcomeText(outcome, Number(confidence)) : "no outcome"}`;
}

function reasonOf({ reason }: Event["detail"]): string {
  return typeof reason === "string" ? ` (${reason.replaceAll("_", " ")})` : "";
}

function entry(
  at: string,
  text: string,
  { quote = null, tone = "neutral" }: Partial<Pick<TimelineEntry, "quote" | "tone">> = {},
): TimelineEntry {
  return { at, text, quote, tone, times: 1 };
}
