// What a kind of notification target consists of, and what it sends. Each system has one file here, and one line in index.ts.

import type { z } from "@hono/zod-openapi";
import type { Severity } from "../../schemas/incident.ts";
import type { Outcome } from "../../schemas/outcome.ts";
import type { Handover } from "../../schemas/reports.ts";
import type { StartTimer } from "../../timers.ts";

/** What happens to a failure, in the order of its life. */
export const NOTIFICATION_EVENTS = ["answered", "recurred", "resolved", "fix_did_not_hold"] as const;
export type NotificationEvent = (typeof NOTIFICATION_EVENTS)[number];

/** `merged`: another incident has its alerts. `superseded`: a later message has the failure. */
export const MESSAGE_STATUSES = ["open", "resolved", "merged", "superseded"] as const;

export interface NotificationKind<Name extends string = string, Options extends z.ZodObject = z.ZodObject> {
  readonly name: Name;
  /** Name of the product, as people read it. */
  readonly product: string;
  /** Fields of its definition beside those that every target has. */
  readonly options: Options;
  readonly credential: {
    readonly isRequired: boolean;
    /** What the Worker secret holds, for people. */
    readonly holds: string;
  };
  /** The source of alerts on whose ticket it writes, one message an incident; null for one message a failure. */
  readonly ticketOf: string | null;
  /** A method, so that kinds with different options fit into one list. @throws DependencyError for an unusable credential */
  connect(options: z.output<Options>, credential: string | null, transport: Transport): Connection;
}

export interface Transport {
  readonly timeoutMs: number;
  readonly startTimer: StartTimer;
  readonly now: () => Date;
  /** Slack's API, and the bot token of the settings. */
  readonly slack: { readonly apiUrl: string; readonly botToken: string | undefined };
  /** The address of the console; null where no setting names it. */
  readonly origin: string | null;
}

/** Each method makes one delivery and throws DependencyError. None retries: the outbox does. */
export interface Connection {
  /** @returns how the target names the message, for `edit` and `reply` */
  post(content: Content, delivery: Delivery): Promise<string>;
  /** Replaces the message. False if it was deleted there. Null where the system cannot edit. */
  readonly edit: ((reference: string, content: Content) => Promise<boolean>) | null;
  reply(reference: string, reply: Reply, delivery: Delivery): Promise<void>;
}

export interface Delivery {
  /** UUID of this message or reply, the same in each attempt, so that a system may recognise a repetition. */
  readonly id: string;
  /** Whether an earlier attempt may have arrived without an answer. */
  readonly mayBeRepeated: boolean;
}

export type Content =
  | { readonly kind: "failure"; readonly message: FailureMessage }
  | { readonly kind: "summary"; readonly summary: Summary }
  | { readonly kind: "handover"; readonly handover: HandoverMessage };

/** All that a message shows of a failure, for every kind of target. Texts come from outside, unescaped, in plain text. */
export interface FailureMessage {
  /** The event that it was made for. */
  readonly event: NotificationEvent;
  readonly incidentId: string;
  /** Null without an answer. */
  readonly triageId: string | null;
  readonly title: string;
  readonly severity: Severity;
  readonly domain: string;
  readonly target: string | null;
  readonly status: (typeof MESSAGE_STATUSES)[number];
  readonly outcome: Outcome | null;
  /** 0 to 1; null where a figure says nothing. */
  readonly probability: number | null;
  /** The outcome in words, with its probability. */
  readonly verdict: string;
  /** What fixed it before. `lead` is "Fixed before", and how probable it is that it is the same failure, if that is open. */
  readonly fix: { readonly lead: string; readonly text: string } | null;
  /** Error lines of the report. */
  readonly quotes: readonly string[];
  /** What the answer lacks, because a dependency was down: a sentence each. */
  readonly lacks: readonly string[];
  /** Results of checks. */
  readonly checked: readonly string[];
  readonly firstCheck: StepText | null;
  readonly firstStep: StepText | null;
  /** Changes before the start. */
  readonly changes: readonly string[];
  /** Such as "3rd time in 2 h, for 40 min, on 4 services"; null for a first time, just now, on one service. */
  readonly recurrence: string | null;
  /** Such as "Acknowledged by dana", and until when it is expected; null if nobody has it, and once it is resolved. */
  readonly holder: string | null;
  readonly isAcknowledged: boolean;
  readonly isMuted: boolean;
  /** Open, or ended by itself: nobody said what fixed it. */
  readonly lacksFix: boolean;
  /** A line for each mute that kept other incidents from the target. */
  readonly muted: readonly string[];
  /** How it ended; null while it is open. */
  readonly resolution: string | null;
  /** Its page in the console. */
  readonly link: string | null;
  /** Where the incident's ticket is; null without one. */
  readonly ticket: Ticket | null;
}

export interface StepText {
  readonly text: string;
  readonly warning: string | null;
  readonly command: string | null;
}

export interface Ticket {
  readonly fingerprint: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly event: NotificationEvent;
  /** One sentence. */
  readonly text: string;
  /** Whether the whole channel reads it, not only who follows the thread. */
  readonly isReturn: boolean;
  readonly message: FailureMessage;
}

export interface HandoverMessage {
  readonly handover: Handover;
  /** The list of incidents in the console. */
  readonly link: string | null;
}

/** In place of single messages in a storm. */
export interface Summary {
  /** Incidents; of these, how many are open; and their failures. */
  readonly total: number;
  readonly open: number;
  readonly failures: number;
  /** The worst severity first. */
  readonly bySeverity: readonly (readonly [severity: Severity, count: number])[];
  /** A failure each. */
  readonly worst: readonly {
    readonly incidents: number;
    readonly incidentId: string;
    readonly title: string;
    readonly severity: Severity;
    readonly target: string | null;
    readonly link: string | null;
  }[];
  /** As in a message. */
  readonly muted: readonly string[];
  /** The list of incidents in the console. */
  readonly link: string | null;
}
