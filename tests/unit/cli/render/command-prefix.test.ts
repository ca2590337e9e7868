import { expect, it } from "vitest";
import { commandPrefix, withCommandPrefix } from "../../../../cli/render/command-prefix.ts";

it.each([
  ["a script of the clone", { npm_lifecycle_event: "triage", npm_package_name: "dejavu" }, "npm run -s dejavu --"],
  ["the installed command", {}, "dejavu"],
  ["npx", { npm_lifecycle_event: "npx" }, "npx dejavu"],
  ["npx within the clone", { npm_lifecycle_event: "npx", npm_package_name: "dejavu" }, "npx dejavu"],
  ["a script of another project", { npm_lifecycle_event: "oncall", npm_package_name: "shop" }, "dejavu"],
])("people who used %s get commands that begin alike", (_name, environment, prefix) => {
  expect(commandPrefix(environment)).toBe(prefix);
});

it.each([
  ["List them with: dejavu runbooks list", "List them with: npm run -s dejavu -- runbooks list"],
  ["Stopped. The job goes on: see dejavu jobs.", "Stopped. The job goes on: see npm run -s dejavu -- jobs."],
  ["Two:\n  dejavu list\n  dejavu jobs", "Two:\n  npm run -s dejavu -- list\n  npm run -s dejavu -- jobs"],
  ["/home/dana/dejavu is a folder of dejavu data.", "/home/dana/dejavu is a folder of dejavu data."],
])("a note names commands as people call them in a clone: %s", (text, expected) => {
  const clone = { npm_lifecycle_event: "dejavu", npm_package_name: "dejavu" };
  expect(withCommandPrefix(text, clone)).toBe(expected);
  expect(withCommandPrefix(text, {})).toBe(text);
});
