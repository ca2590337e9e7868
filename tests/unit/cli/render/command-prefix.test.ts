import { expect, it } from "vitest";
import { commandPrefix } from "../../../../cli/render/command-prefix.ts";

it.each([
  ["a script of the clone", { npm_lifecycle_event: "triage", npm_package_name: "dejavu" }, "npm run dejavu --"],
  ["the installed command", {}, "dejavu"],
  ["npx", { npm_lifecycle_event: "npx" }, "npx dejavu"],
  ["npx within the clone", { npm_lifecycle_event: "npx", npm_package_name: "dejavu" }, "npx dejavu"],
  ["a script of another project", { npm_lifecycle_event: "oncall", npm_package_name: "shop" }, "dejavu"],
])("people who used %s get commands that begin alike", (_name, environment, prefix) => {
  expect(commandPrefix(environment)).toBe(prefix);
});
