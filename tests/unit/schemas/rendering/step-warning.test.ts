import { expect, it } from "vitest";
import { stepWarning } from "../../../../functions/schemas/rendering/step-warning.ts";

it.each([
  ["docker ps", "read_only", null],
  ["docker restart web", "changes_state", "changes state"],
  [null, "changes_state", "changes state"],
  ["some-tool --check", null, "not verified as read-only"],
  [null, null, null],
] as const)("a step with the command %j and the effect %s has the warning %j", (command, effect, warning) => {
  expect(stepWarning({ command, effect })).toBe(warning);
});
