import { describe, expect, it } from "vitest";
import { failuresOf } from "../../../../lib/markdown/failure-sections.ts";

const numbersOf = (title: string, ...paths: readonly string[]) =>
  failuresOf(
    paths.map((path) => ({ headingPath: path === "" ? [] : path.split(" > ") })),
    title,
  ).join(" ");

describe("the failures of a text", () => {
  it.each([
    ["roles", "Queue lags", ["", "Symptoms", "Root causes", "Confirm", "Mitigate", "Prevent"]],
    [
      "parts of a role",
      "Queue lags",
      ["Meaning", "Impact", "Diagnosis > Slow disk", "Diagnosis > Busy network", "Fix"],
    ],
    ["options", "Queue lags", ["Diagnosis", "Mitigation > Option 1", "Mitigation > Option 2", "Related links"]],
    ["steps", "Queue lags", ["Symptoms", "Step 1: look at the lag", "Check the consumers", "Resolution"]],
    ["its name in a role", "QueueLag", ["Diagnose QueueLag", "How to fix QueueLag", "AWS", "Azure"]],
    ["roles of another language", "Bestellungen hängen", ["Symptome", "Mögliche Ursachen", "Behebung", "Vorbeugung"]],
    ["definitions", "Queue lags", ["Understand the alert", "What is a consumer group?", "Troubleshoot the alert"]],
    ["no headings", "Queue lags", ["", ""]],
  ])("are one for a runbook with %s", (_, title, paths) => {
    expect(numbersOf(title, ...paths)).toBe(paths.map(() => 0).join(" "));
  });

  it.each([
    [
      "its topics have roles",
      ["", "Prerequisites", "Disk full > Symptoms", "Disk full > Fix", "Port in use", "Port in use > Fix"],
      "0 0 1 1 2 2",
    ],
    ["its topics are prose", ["", "Disk full", "Why does my task hang?", "Port 443 in use"], "0 1 2 3"],
    [
      "topics stand below a collection",
      ["Overview", "Troubleshooting > Disk full", "Troubleshooting > No quorum"],
      "0 1 2",
    ],
    [
      "roles repeat on one level",
      ["Symptoms", "Fix", "Disk full", "Symptoms", "Fix", "Port in use", "Symptoms", "Fix"],
      "0 0 1 1 1 2 2 2",
    ],
    [
      "a topic repeats the roles beside it",
      ["Symptoms", "Fix", "On ARM nodes > Symptoms", "On ARM nodes > Fix"],
      "0 0 1 1",
    ],
    [
      "a topic of a topic has roles",
      ["Storage > Disk full > Fix", "Storage > Disk slow > Fix", "Network > Port in use > Fix"],
      "2 3 4",
    ],
  ])("are several where %s", (_, paths, numbers) => {
    expect(numbersOf("Troubleshooting", ...paths)).toBe(numbers);
  });
});
