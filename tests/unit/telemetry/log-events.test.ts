import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { logCalls, loggedEvents } from "../../../dev/reference/log-calls.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const files = readdirSync(`${ROOT}functions`, { recursive: true, encoding: "utf8" })
  .map((name) => `functions/${name.replaceAll("\\", "/")}`)
  .filter((name) => name.endsWith(".ts") && name !== "functions/telemetry/log.ts");
const events = loggedEvents(ROOT);

describe("the log's events", () => {
  it("can be read from the sources, where nothing but the log writes to the console", () => {
    const faults = files.flatMap((file) => logCalls(file, readFileSync(`${ROOT}${file}`, "utf8")).faults);
    expect(faults).toEqual([]);
    expect(events.length).toBeGreaterThan(40);
  });

  it("are called area.what", () => {
    expect(events.map(({ event }) => event).filter((name) => !/^[a-z_]+\.[a-z_]+$/.test(name))).toEqual([]);
  });
});

describe("the reading of a source", () => {
  const read = (text: string) => logCalls("functions/x.ts", text);

  it.each([
    ['log("warn", "a.b");', { event: "a.b", levels: ["warn"], fields: [] }],
    [
      'c.get("services").log("info", "a.b", { id, error: e.name });',
      { event: "a.b", levels: ["info"], fields: ["id", "error"] },
    ],
    [
      'services.log(x ? "info" : "error", "a.b", { ...counts });',
      { event: "a.b", levels: ["info", "error"], fields: ["…"] },
    ],
    [
      'const level = x ? "info" : "error"; log(level, "a.b", counts);',
      { event: "a.b", levels: ["info", "error"], fields: ["…"] },
    ],
  ])("finds %s", (text, event) => {
    expect(read(text)).toEqual({ events: [event], faults: [] });
  });

  it.each(['console.error("x");', 'log(level, "a.b");', 'log("info", name);', 'services.log("loud", "a.b");'])(
    "does not put up with %s",
    (text) => {
      expect(read(text)).toMatchObject({ events: [], faults: [expect.stringContaining("functions/x.ts")] });
    },
  );

  it("leaves what is no log", () => {
    expect(read("Math.log(2); blog(1); login();")).toEqual({ events: [], faults: [] });
  });
});
