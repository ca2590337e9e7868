// CDEvents 0.3 to 0.5, the vocabulary of continuous delivery for CloudEvents: one event, bare or in a CloudEvent, or a batch.

import { z } from "@hono/zod-openapi";
import { optionalTime } from "../../incidents/webhooks/alert-times.ts";
import type { ChangeKind, ChangeSender, IgnoredEvent, ReportedChange } from "./sender.ts";

const MAX_EVENTS = 100;

const optionalText = z.string().nullish();
const reference = z.looseObject({ id: optionalText, name: optionalText, source: optionalText }).nullish();

/** The type that the CloudEvent has, too; its version follows: `dev.cdevents.service.deployed.0.2.0`. */
const eventType = z
  .string()
  .max(256)
  .regex(
    /^dev\.cdevents(?:test)?\.[a-z]/,
    "must be the type of a CDEvent, such as dev.cdevents.service.deployed.0.2.0",
  );

export const cdEventSchema = z.looseObject({
  context: z.looseObject({
    id: z.string().min(1).max(1_024),
    source: optionalText,
    type: eventType,
    timestamp: optionalTime,
  }),
  subject: z.looseObject({
    id: z.string().min(1),
    source: optionalText,
    content: z
      .looseObject({
        environment: reference,
        artifactId: optionalText,
        name: optionalText,
        url: optionalText,
        user: optionalText,
      })
      .nullish(),
  }),
});
type CdEvent = z.output<typeof cdEventSchema>;

/** Structured mode: the CDEvent is the data. */
const cloudEventSchema = z.looseObject({ specversion: z.string(), data: cdEventSchema }).transform(({ data }) => data);

const EXAMPLE = {
  context: {
    version: "0.4.1",
    id: "271069a8-fc18-44f1-b38f-9d70a1695819",
    source: "/delivery/production",
    type: "dev.cdevents.service.upgraded.0.2.0",
    timestamp: "2026-03-01T02:41:00Z",
  },
  subject: {
    id: "service/checkout",
    source: "/delivery/production",
    type: "service",
    content: {
      environment: { id: "production" },
      artifactId: "pkg:oci/checkout@sha256%3A0b31b1c02ff458ad9b7b81cbdf8f028bd54699fa151f221d1e8de6817db93427",
    },
  },
};

const schema = z
  .union([
    // First: an event with data may have the fields of a bare one, too.
    cloudEventSchema,
    cdEventSchema,
    z
      .array(z.union([cloudEventSchema, cdEventSchema]))
      .min(1)
      .max(MAX_EVENTS),
  ])
  .openapi({ example: EXAMPLE });

interface Meaning {
  readonly kind: ChangeKind;
  /** Follows the service's name. */
  readonly verb: string;
}

/** Events without their version that are changes. */
const MEANINGS: ReadonlyMap<string, Meaning> = new Map([
  ["service.deployed", { kind: "deployment", verb: "deployed" }],
  ["service.upgraded", { kind: "deployment", verb: "upgraded" }],
  ["service.rolledback", { kind: "deployment", verb: "rolled back" }],
  ["service.removed", { kind: "deployment", verb: "removed" }],
  ["service.published", { kind: "other", verb: "published" }],
  ["environment.modified", { kind: "configuration", verb: "modified" }],
  ["artifact.published", { kind: "release", verb: "published" }],
]);
const TYPE = /^dev\.cdevents(?:test)?\.([a-z]{1,60}\.[a-z]{1,60})(?:\.|$)/;

export const cdevents: ChangeSender<"cdevents", "/v1/changes/cdevents", typeof schema> = {
  name: "cdevents",
  path: "/v1/changes/cdevents",
  summary: "Take CDEvents",
  description:
    "An event, a CloudEvent in structured or binary mode, or a batch. Stored are `service.deployed`, `upgraded`, `rolledback`, `removed` and `published`, `environment.modified` and `artifact.published`; all others are ignored.",
  schema,
  signature: null,
  whenTooLarge: "Send fewer events at once.",
  toChanges(payload) {
    const changes: ReportedChange[] = [];
    const ignored: IgnoredEvent[] = [];
    for (const event of Array.isArray(payload) ? payload : [payload]) {
      const { type } = event.context;
      const name = TYPE.exec(type)?.[1] ?? "";
      const meaning = MEANINGS.get(name);
      if (meaning === undefined) ignored.push({ event: type, rule: "the event is no change of a running service" });
      else changes.push(changeOf(event, { name, ...meaning }));
    }
    return { changes, ignored };
  },
};

/** @param meaning that of the event called `name` */
function changeOf(
  { context, subject }: CdEvent,
  { name, kind, verb }: Meaning & { readonly name: string },
): ReportedChange {
  const { content } = subject;
  const artifact = (name.startsWith("artifact.") ? subject.id : content?.artifactId) ?? null;
  const service = content?.name ?? nameOf(subject.id);
  const version = artifact === null ? null : versionOf(artifact);
  return {
    // Ids of events are unique within their source.
    eventId: `${context.source ?? ""} ${context.id}`,
    subject: null,
    at: context.timestamp ?? null,
    kind,
    service,
    aliases: [subject.id, ...(artifact === null ? [] : [artifact])],
    environment: name.startsWith("environment.")
      ? service
      : (content?.environment?.name ?? content?.environment?.id ?? null),
    title: `${service} ${verb}${version === null ? "" : `: ${version}`}`,
    version,
    by: content?.user ?? context.source ?? null,
    url: content?.url ?? null,
    labels: {},
    domain: null,
  };
}

/** Of a package URL, its name: `pkg:npm/@acme/checkout@1.2` is `checkout`. The end of any other path. */
function nameOf(id: string): string {
  const path = id
    .replace(/[?#].*/s, "")
    .replace(/@[^@/]*$/, "")
    .replace(/\/{1,8}$/, "");
  return path.slice(path.lastIndexOf("/") + 1) || id;
}

/** Of a package URL, its version; null for every other text. */
function versionOf(artifact: string): string | null {
  const encoded = artifact.startsWith("pkg:") ? /@([^@/]+)$/.exec(artifact.replace(/[?#].*/s, ""))?.[1] : undefined;
  if (encoded === undefined) return null;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
