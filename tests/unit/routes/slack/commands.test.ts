import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCommand, sessionIdOf, triageRequestOf } from "../../../../functions/routes/slack/commands.ts";

const ID = "3f2a91bc-0d4e-4f5a-8b6c-7d8e9f001122";
const DIGITS = "3f2a91bc0d4e4f5a8b6c7d8e9f001122";

describe("readCommand", () => {
  it.each([
    ["", { name: "help" }],
    [" \n ", { name: "help" }],
    ["help", { name: "help" }],
    ["  HELP ", { name: "help" }],
    ["similar connection refused", { name: "similar", text: "connection refused" }],
    ["Similar\n a\n b ", { name: "similar", text: "a\n b" }],
    ["similar", { name: "unclear", meant: "similar" }],
    [`status ${ID}`, { name: "status", incident: DIGITS }],
    [`status ${ID.toUpperCase()}`, { name: "status", incident: DIGITS }],
    ["status 3f2a91bc", { name: "status", incident: "3f2a91bc" }],
    ["status 3f2a91bc-0d", { name: "status", incident: "3f2a91bc0d" }],
    ["status", { name: "unclear", meant: "status" }],
    ["status 3f2a91b", { name: "unclear", meant: "status" }],
    ["status nonsense", { name: "unclear", meant: "status" }],
    [`status ${ID}0`, { name: "unclear", meant: "status" }],
    [`resolve ${ID} raised the limit`, { name: "resolve", incident: DIGITS, resolution: "raised the limit" }],
    ["resolve 3f2a91bc a\nb", { name: "resolve", incident: "3f2a91bc", resolution: "a\nb" }],
    [`resolve ${ID}`, { name: "unclear", meant: "resolve" }],
    ["resolve it please", { name: "unclear", meant: "resolve" }],
  ])("reads %j", (text, command) => {
    expect(readCommand(text)).toEqual(command);
  });

  it.each(["disk full", "helpful message in the log", "help with the disk", "status page down", "statuses 3f2a91bc"])(
    "takes %j for a text to triage",
    (text) => {
      expect(readCommand(`  ${text} `)).toEqual({ name: "triage", text });
    },
  );

  it("keeps the whole text to triage, and never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const command = readCommand(text);
        if (command.name === "triage") expect(command.text).toBe(text.trim());
      }),
    );
  });
});

describe("triageRequestOf", () => {
  it("uses the first line as the question and the others as logs", () => {
    expect(triageRequestOf("disk full", "s")).toEqual({ question: "disk full", session_id: "s", reportedBy: "slack" });
    expect(triageRequestOf("disk full\r\n\nerror 28\n", "s")).toMatchObject({
      question: "disk full",
      logs: "error 28",
    });
  });

  it("keeps a line that is too long for a question whole in the logs", () => {
    const long = `we see ${"no 😀 data ".repeat(1_001)}`.trim();
    const request = triageRequestOf(`${long}\nend`, "s");
    expect(request.logs).toBe(`${long}\nend`);
    expect(request.question?.length).toBeLessThanOrEqual(4_000);
    expect(request.question?.isWellFormed()).toBe(true);
  });

  it("makes the headline of a pasted log the title, so that its text is never a question", () => {
    const log = "2026-03-01 02:55:10 INFO starting\n2026-03-01 02:55:12 ERROR disk full on /data\n";
    expect(triageRequestOf(log, "s")).toEqual({
      title: "disk full on /data",
      logs: log,
      session_id: "s",
      reportedBy: "slack",
    });
  });
});

describe("sessionIdOf", () => {
  it("identifies the thread, or the channel without a thread", () => {
    expect(sessionIdOf({ team: "T1", channel: "C1", thread: "1772334000.000100" })).toBe(
      "slack-T1-C1-1772334000.000100",
    );
    expect(sessionIdOf({ team: "T1", channel: "C1" })).toBe("slack-T1-C1");
  });

  it("is a valid session id for any input", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), fc.option(fc.string(), { nil: undefined }), (...ids) => {
        const [team, channel, thread] = ids;
        expect(sessionIdOf({ team, channel, thread })).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
      }),
    );
  });
});
