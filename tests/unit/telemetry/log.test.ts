import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { createConsoleLog, LOG_LEVELS, type LogFields, type LogLevel } from "../../../functions/telemetry/log.ts";
import { withContext } from "../../../functions/telemetry/request-context.ts";

const NOW = new Date("2026-03-01T03:00:00Z");
const log = createConsoleLog(() => NOW, "debug");
afterEach(() => void vi.restoreAllMocks());

const lineSchema = z.looseObject({ at: z.iso.datetime(), level: z.enum(LOG_LEVELS), event: z.string() });

/** What reaches the console meanwhile, as text. */
function written(work: () => void): string[] {
  const lines: string[] = [];
  for (const level of LOG_LEVELS) vi.spyOn(console, level).mockImplementation((line) => void lines.push(line));
  work();
  vi.restoreAllMocks();
  return lines;
}

function lineOf(fields: LogFields, level: LogLevel = "info"): z.infer<typeof lineSchema> {
  const lines = written(() => log(level, "test.happened", fields));
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain("\n");
  return lineSchema.parse(JSON.parse(lines[0] ?? ""));
}

describe("a line", () => {
  it("says when, how grave, what, and the fields", () => {
    expect(lineOf({ count: 2, ok: true, none: null, reason: "timeout" }, "warn")).toEqual({
      at: NOW.toISOString(),
      level: "warn",
      event: "test.happened",
      count: 2,
      ok: true,
      none: null,
      reason: "timeout",
    });
  });

  it("goes to the console's method of its level", () => {
    for (const level of LOG_LEVELS) {
      const spy = vi.spyOn(console, level).mockImplementation(() => {});
      log(level, "test.happened");
      expect(spy).toHaveBeenCalledTimes(1);
      vi.restoreAllMocks();
    }
  });

  it.each(LOG_LEVELS)("is written from %s on", (least) => {
    const events = written(() => {
      for (const level of LOG_LEVELS) createConsoleLog(() => NOW, least)(level, `test.${level}`);
    }).map((line) => lineSchema.parse(JSON.parse(line)).level);
    expect(events).toEqual(LOG_LEVELS.slice(LOG_LEVELS.indexOf(least)));
  });

  it("has the ids of the work that it is written for, also after a wait", async () => {
    const ids: unknown[] = [];
    const write = () => {
      const { at, level, event, ...rest } = lineOf({});
      ids.push(rest);
    };
    await withContext({ requestId: "r-1" }, async () => {
      write();
      await withContext({ incidentId: "i-1" }, async () => {
        await Promise.resolve();
        write();
      });
      write();
    });
    write();
    expect(ids).toEqual([{ request_id: "r-1" }, { request_id: "r-1", incident_id: "i-1" }, { request_id: "r-1" }, {}]);
  });

  it("goes by an id that is given where it knows better, and keeps the other where it is not", () => {
    withContext({ requestId: "r-1", incidentId: "i-1" }, () => {
      expect(lineOf({ incident_id: "i-2" })).toMatchObject({ request_id: "r-1", incident_id: "i-2" });
      expect(lineOf({ incident_id: undefined })).toMatchObject({ incident_id: "i-1" });
    });
  });

  it("is JSON with its head for any fields, and never long", () => {
    const value = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string().map((text) => text.repeat(2_000)),
      fc.double(),
      fc.boolean(),
      fc.constantFrom(null, undefined, Number.NaN, Number.POSITIVE_INFINITY, -0, "\ud800", "\n", "\u2028"),
      fc.string().map((message) => new Error(message)),
    );
    const name = fc.oneof(fc.string(), fc.constantFrom("at", "level", "event", "__proto__", "toString", "stack"));
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 5 }), (fields) => {
        const line = lineOf(fields);
        expect(line).toMatchObject({ at: NOW.toISOString(), level: "info", event: "test.happened" });
        expect(JSON.stringify(Object.values(line)).length).toBeLessThan(100_000);
        for (const each of Object.values(line).filter((field) => typeof field === "string")) {
          expect(each.length).toBeLessThan(15_000);
        }
      }),
    );
  });
});

describe("a bug", () => {
  it("is logged with its name and stack", () => {
    const line = lineOf({ error: new TypeError("no") }, "error");
    expect(line).toMatchObject({ error: "TypeError", stack: expect.stringMatching(/^at .*log\.test\.ts\S*:\d+:\d+/) });
  });

  it("is never logged with its message, also if that looks like stack frames", () => {
    const words = fc.array(fc.constantFrom("planted", "\n", "    at planted (x.ts:1:1)", "Error: planted", " "), {
      minLength: 1,
    });
    fc.assert(
      fc.property(words, (parts) => {
        const message = parts.join("");
        const error = new RangeError(message, { cause: new Error("planted cause") });
        expect(JSON.stringify(lineOf({ error }))).not.toContain("planted");
        // A message that changed after the stack was captured cannot be separated from it.
        error.message = "other words";
        expect(JSON.stringify(lineOf({ error }))).not.toContain("planted");
      }),
    );
  });

  it("with a name that is none is an Error", () => {
    const error = Object.assign(new Error("no"), { name: "planted: hunter2" });
    expect(lineOf({ error })).toMatchObject({ error: "Error" });
  });

  it("that has no stack is logged with its name", () => {
    const error = Object.assign(new Error("no"), { stack: undefined });
    expect(lineOf({ error })).toMatchObject({ error: "Error" });
  });
});
