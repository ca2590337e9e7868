// Helpers for tests of secrets in the log: a planter, validation of log lines against the calls of the log, and
// corrupted bodies.

import { afterAll, afterEach, expect } from "vitest";
import { z } from "zod";
import { loggedEvents } from "../../../dev/reference/log-calls.ts";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { LOG_LEVELS } from "../../../functions/telemetry/log.ts";
import { SECRET } from "../alerts/support.ts";
import { createHarness, type Harness } from "../support/harness.ts";
import { captureConsole, createPlanter, stringPaths, withValueAt } from "../support/planted-secrets.ts";
import { fakeSlack } from "../support/servers/slack-server.ts";

export const planter = createPlanter();
const { plant, word } = planter;
export const TITLE = "api-gateway docker container exited with code 137";

const EVENTS = new Map(loggedEvents(REPO_DIR).map((each) => [each.event, each]));
const lineSchema = z.looseObject({ at: z.iso.datetime(), level: z.enum(LOG_LEVELS), event: z.string() });
type Line = z.infer<typeof lineSchema>;

/** The console output of this test file. */
export const output = captureConsole();
afterAll(() => output.restore());
afterEach(() => void written());

/** Takes the new lines. Asserts that each is a log line with the fields of its calls only and without secrets. */
export function written(): Line[] {
  const raw = output.lines.splice(0);
  expect(raw.filter((line) => planter.foundIn(line).length > 0).map((line) => [planter.foundIn(line), line])).toEqual(
    [],
  );
  return raw.map((text) => {
    const line = lineSchema.parse(jsonOf(text));
    const { at, level, event, request_id, incident_id, trace_id, stack, ...fields } = line;
    const logged = EVENTS.get(event);
    expect(logged?.levels, text).toContain(level);
    const unknown = Object.keys(fields).filter((name) => !logged?.fields.includes(name));
    if (!logged?.fields.includes("…")) expect(unknown, text).toEqual([]);
    expect(request_id, text).toMatch(/^[0-9a-f-]{36}$/);
    return line;
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`The console has a line that is not a log line: ${text}`);
  }
}

export const slack = await fakeSlack();
afterAll(() => slack[Symbol.asyncDispose]());

/** The application with the product's log. */
export function withConsole(environment: Record<string, unknown> = {}): Harness {
  const settings = { LOG_LEVEL: "debug", MODEL: "none", PAGERDUTY_WEBHOOK_SECRET: SECRET, ...slack.environment };
  return createHarness({ ...settings, ...environment }, { toConsole: true });
}

/** A stored triage, the subject of calls. */
export function investigated({ triage }: Harness): ReturnType<Harness["triage"]> {
  return triage({ title: TITLE, target: "api-gateway", session_id: "session-1" });
}

/**
 * Variants of the body: with a secret in each string, in objects and lists instead of values, and as invalid JSON.
 * @param planted fields that had one before, and get none alone: those of an earlier body of the same endpoint
 */
export function corruptedBodies(
  body: string,
  where: (what: string) => string,
  planted: Set<string> = new Set(),
): string[] {
  const broken = [`{"${word(where("broken name"))}": ${word(where("broken JSON"))}`, plant(where("no JSON"))];
  const value = z.record(z.string(), z.unknown()).safeParse(safeJson(body)).data;
  if (value === undefined) return [...broken, `${body}\n${plant(where("text"))}`];
  const strings = stringPaths(value);
  const secretAt = (path: readonly (string | number)[]) => plant(where(`field ${path.join(".")}`));
  // Items of a list have the same fields.
  const nameOf = (path: readonly (string | number)[]) => path.filter((part) => typeof part === "string").join(".");
  const alone = [...new Map(strings.map((path) => [nameOf(path), path])).entries()].filter(
    ([name]) => !planted.has(name),
  );
  const members = Object.keys(value).filter((name) => !planted.has(name));
  for (const name of [...alone.map(([each]) => each), ...members]) planted.add(name);
  return [
    ...broken,
    ...[JSON.stringify(plant(where("string"))), JSON.stringify([plant(where("list"))])],
    ...alone.map(([, path]) => JSON.stringify(withValueAt(value, path, secretAt(path)))),
    JSON.stringify(strings.reduce<unknown>((all, path) => withValueAt(all, path, secretAt(path)), value)),
    ...members.flatMap((name) => [
      JSON.stringify({ ...value, [name]: { [word(where(`name in ${name}`))]: plant(where(`object as ${name}`)) } }),
      JSON.stringify({ ...value, [name]: [plant(where(`list as ${name}`))] }),
    ]),
    JSON.stringify({ ...value, [word(where("unknown name"))]: plant(where("unknown field")) }),
  ];
}

export function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
