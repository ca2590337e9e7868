// Silences of Alertmanager, from the events of its event recorder (`events/v2`, as protojson), as mutes. Pure functions.
// https://github.com/prometheus/alertmanager/blob/main/proto/eventrecorder/events/v2/events.proto

import { z } from "zod";
import { parseMatcher } from "./matchers.ts";
import { MAX_MUTE_DAYS, type NewMute } from "./mutes.ts";

const TYPES = ["TYPE_EQUAL", "TYPE_NOT_EQUAL", "TYPE_REGEXP", "TYPE_NOT_REGEXP"] as const;
const OPERATORS: Readonly<Record<(typeof TYPES)[number], string>> = {
  TYPE_EQUAL: "=",
  TYPE_NOT_EQUAL: "!=",
  TYPE_REGEXP: "=~",
  TYPE_NOT_REGEXP: "!~",
};

/** protojson leaves empty fields out. */
const matchersSchema = z
  .array(z.object({ type: z.enum(TYPES), name: z.string(), pattern: z.string().default("") }))
  .default([]);
const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const silenceSchema = z.object({
  id: z.uuid(),
  matchers: matchersSchema,
  /** One of them has to match. `matchers` is the first. */
  matcherSets: z.array(z.object({ matchers: matchersSchema })).default([]),
  /** Set if it holds for some receivers only. */
  receiverMatcherSets: z.array(z.unknown()).default([]),
  startsAt: time,
  endsAt: time,
  createdBy: z.string().default(""),
  comment: z.string().default(""),
});
type Silence = z.infer<typeof silenceSchema>;

const carried = z.object({ silence: z.unknown() }).optional();
const eventSchema = z.object({
  data: z.object({ silenceCreated: carried, silenceUpdated: carried, silenceMutedAlert: carried }),
});

export type SilenceChange =
  | { readonly change: "mute"; readonly mute: NewMute & { readonly id: string } }
  | { readonly change: "end"; readonly id: string; readonly by: string }
  /** `reason`: the end of a sentence. */
  | { readonly change: "none"; readonly id: string | null; readonly reason: string };

const DAY_MS = 86_400_000;
const MAX_MATCHERS = 10;
const MAX_REASON_CHARS = 500;
const MAX_OWNER_CHARS = 100;

/** What the events say about silences, the last of each. Other events say nothing. */
export function silenceChanges(events: readonly unknown[], now: Date): SilenceChange[] {
  const changes = new Map<string, SilenceChange>();
  for (const event of events) {
    const { silenceCreated, silenceUpdated, silenceMutedAlert } = eventSchema.safeParse(event).data?.data ?? {};
    const silence = (silenceCreated ?? silenceUpdated ?? silenceMutedAlert)?.silence;
    if (silence === undefined) continue;
    const parsed = silenceSchema.safeParse(silence);
    const change: SilenceChange = parsed.success
      ? changeOf(parsed.data, now)
      : { change: "none", id: null, reason: "it cannot be read" };
    const key = parsed.success ? parsed.data.id : `unreadable ${changes.size}`;
    changes.delete(key);
    changes.set(key, change);
  }
  return [...changes.values()];
}

function changeOf(silence: Silence, now: Date): SilenceChange {
  const { id, startsAt, endsAt, receiverMatcherSets } = silence;
  const none = (reason: string): SilenceChange => ({ change: "none", id, reason });
  const by = truncated(silence.createdBy, MAX_OWNER_CHARS) || "Alertmanager";
  if (endsAt <= now) return { change: "end", id, by };
  if (startsAt > now) return none("it has not begun; its first muted alert begins the mute");
  if (receiverMatcherSets.length > 0) return none("it holds for some receivers only");
  if (silence.matcherSets.length > 1) return none("it has several sets of matchers");
  const matchers = (silence.matcherSets[0]?.matchers ?? silence.matchers).map(
    ({ type, name, pattern }) => `${quoted(name)}${OPERATORS[type]}${quoted(pattern)}`,
  );
  if (matchers.length === 0 || matchers.length > MAX_MATCHERS)
    return none(`it must have 1 to ${MAX_MATCHERS} matchers`);
  for (const text of matchers) {
    const parsed = parseMatcher(text);
    if (!parsed.ok) return none(`a matcher ${parsed.message}`);
  }
  const latest = new Date(now.getTime() + MAX_MUTE_DAYS * DAY_MS);
  return {
    change: "mute",
    mute: {
      id,
      incident_id: null,
      domain: null,
      matchers,
      reason: truncated(silence.comment, MAX_REASON_CHARS) || "silenced in Alertmanager",
      owner: by,
      ends_at: (endsAt < latest ? endsAt : latest).toISOString(),
    },
  };
}

function truncated(text: string, length: number): string {
  return text.trim().slice(0, length).toWellFormed();
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
