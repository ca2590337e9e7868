import { describe, expect, it } from "vitest";
import { OVERVIEW, topicsOf } from "../../../../lib/markdown/topics.ts";

/** The topics as numbers in the order of their first section: 0 for that of the title, "-" for the overview. */
const numbersOf = (title: string, ...paths: readonly string[]) => {
  const sections = paths.map((path) => ({ headingPath: path === "" ? [] : path.split(" > ") }));
  const anchors: string[] = [];
  return topicsOf(sections, title)
    .map((topic) => {
      if (topic === null) return 0;
      if (topic === OVERVIEW) return "-";
      if (!anchors.includes(topic.anchor)) anchors.push(topic.anchor);
      return anchors.indexOf(topic.anchor) + 1;
    })
    .join(" ");
};

describe("the failures of a text", () => {
  it.each([
    ["roles", "Queue lags", ["", "Symptoms", "Root causes", "Confirm", "Mitigate", "Prevent"]],
    [
      "parts of a role",
      "Queue lags",
      ["Meaning", "Impact", "Diagnosis > Slow disk", "Diagnosis > Busy network", "Fix"],
    ],
    [
      "causes with their symptoms, and steps for all of them",
      "Queue lags",
      ["Causes > High load > Symptoms", "Causes > Dead worker > Symptoms", "Resolution > Solution 1: add workers"],
    ],
    ["methods, and a fix beside what it is for", "Queue lags", ["", "Console method", "API method", "Current fix"]],
    ["options", "Queue lags", ["Diagnosis", "Mitigation > Option 1", "Mitigation > Option 2", "Related links"]],
    ["steps", "Queue lags", ["Symptoms", "Step 1: look at the lag", "Check the consumers", "Resolution"]],
    ["its name in a role", "QueueLag", ["Diagnose QueueLag", "How to fix QueueLag", "AWS", "Azure"]],
    ["roles of another language", "Bestellungen hängen", ["Symptome", "Mögliche Ursachen", "Behebung", "Vorbeugung"]],
    ["definitions", "Queue lags", ["Understand the alert", "What is a consumer group?", "Troubleshoot the alert"]],
    [
      "a skill",
      "Queue lags",
      ["When to use this skill", "Likely causes", "Instructions > Step 1: Verify it", "Instructions > Step 2: Drop it"],
    ],
    ["no headings", "Queue lags", ["", ""]],
    [
      "severities",
      "Queue lags",
      [
        "Impact",
        "Critical",
        "Warning",
        "Runbook > Examples of slow queries > Reads",
        "Runbook > Examples of slow queries > Writes",
      ],
    ],
    [
      "causes, each with its solution",
      "Queue lags",
      ["Cause: no worker", "Solution", "Cause 2: slow disk", "Solution"],
    ],
    [
      "what people see and where it comes from",
      "403",
      ["What users see", "Where it comes from > Clock", "Where it comes from > Host"],
    ],
    ["numbered steps beside a role", "Queue lags", ["Symptoms", "1. Find the node", "2. Extend its disk"]],
    ["variants of a role", "Queue lags", ["Understand it", "Troubleshoot it (Linux)", "Troubleshoot it (FreeBSD)"]],
    ["variants", "Queue lags", ["The disk fills (Linux)", "The disk fills (FreeBSD)"]],
    ["an alert as its title", "queue_lag_ratio", ["Understand the alert", "Look at the consumers", "Add a partition"]],
  ])("are one for a runbook with %s", (_, title, paths) => {
    expect(numbersOf(title, ...paths)).toBe(paths.map(() => 0).join(" "));
  });

  it("are several for questions, each about one", () => {
    expect(numbersOf("FAQ", "", "Why are pools full?", "What is clock skew?", "Why are writes slow?")).toBe("- 1 2 3");
  });

  it.each([
    [
      "its topics have roles",
      ["", "Prerequisites", "Disk full > Symptoms", "Disk full > Fix", "Port in use", "Port in use > Fix"],
      "- - 1 1 2 2",
    ],
    ["its topics are prose", ["", "Disk full", "Why does my task hang?", "Port 443 in use"], "- 1 2 3"],
    [
      "topics stand below a collection",
      ["Overview", "Troubleshooting > Disk full", "Troubleshooting > No quorum"],
      "- 1 2",
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
      "headings name alerts",
      [
        "Overview",
        "Symptoms",
        "Fix",
        "Alerts > KubeJobFailed",
        "Alerts > KubeJobFailed > Reads",
        "Alerts > alert: Watchdog",
        "Routes",
      ],
      "0 0 0 1 1 2 0",
    ],
    ["alerts stand below groups", ['Group: a > Alert Name: "Watchdog"', 'Group: b > Alert Name: "Down"'], "1 2"],
    [
      "a topic of a topic has roles",
      ["Storage > Disk full > Fix", "Storage > Disk slow > Fix", "Network > Port in use > Fix"],
      "1 2 3",
    ],
  ])("are several where %s", (_, paths, numbers) => {
    expect(numbersOf("Troubleshooting", ...paths)).toBe(numbers);
  });
});

it("names a topic by its heading path and the anchor that renderers make", () => {
  const sections = ["", "Disk full! > Fix", "Port in use > Fix", "Disk full! > Fix"].map((path) => ({
    headingPath: path === "" ? [] : path.split(" > "),
  }));
  const alert = { headingPath: ["Alert Name: DiskFull"] };
  expect(topicsOf([alert, { headingPath: ["Alert Name: PortInUse"] }], "Alerts")[0]?.title).toBe("DiskFull");
  expect(topicsOf(sections, "Troubleshooting").slice(1)).toEqual([
    { anchor: "disk-full", headingPath: ["Disk full!"], title: "Disk full!" },
    { anchor: "port-in-use", headingPath: ["Port in use"], title: "Port in use" },
    { anchor: "disk-full-1", headingPath: ["Disk full!"], title: "Disk full!" },
  ]);
});
