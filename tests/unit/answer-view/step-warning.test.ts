import { expect, it } from "vitest";
import { stepWarning } from "../../../functions/answer-view/step-warning.ts";

it.each([
  ["docker ps", "read_only", null],
  ["docker restart web", "changes_state", "changes state"],
  [null, "changes_state", "changes state"],
  ["some-tool --check", null, "not verified as read-only"],
  [null, null, null],
] as const)("a step with the command %j and the effect %s has the warning %j", (command, effect, warning) => {
  expect(stepWarning({ text: "Look.", command, effect })).toBe(warning);
});

it.each([
  ["Remove it: `kubectl delete pod web-1`", null, "changes state"],
  ["Route the charges: `payctl route --to secondary`", null, "not verified as read-only"],
  ["Route the charges: `payctl route --to secondary`", "changes_state", "changes state"],
  ["List them: `payctl list --all`", "read_only", null],
  ["List them: `kubectl get pods`", null, null],
  ["Compare it with `max_connections`.", null, null],
] as const)(
  "a step without a command, with the sentence %j and the effect %s, has the warning %j",
  (text, effect, warning) => {
    expect(stepWarning({ text, command: null, effect })).toBe(warning);
  },
);
