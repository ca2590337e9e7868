import { describe, expect, it } from "vitest";
import { placeholdersIn, withPlaceholders } from "../../../../functions/answer-view/placeholders.ts";
import { parseChecks } from "../../../../lib/checks/parse-checks.ts";
import { commandEffect } from "../../../../lib/commands/command-effect.ts";
import { parseSections } from "../../../../lib/markdown/markdown-sections.ts";
import { parseRunbookItems } from "../../../../lib/markdown/runbook-items.ts";
import { SHIPPED_DOMAINS } from "../../../support/domains.ts";

/** Confirming steps that are not verified: Wrangler, npm scripts and dejavu may run anything, others run a placeholder. */
const NOT_VERIFIED = [/^npx wrangler /, /^npm run /, /^dejavu /, /<probe-command>/, /podman-system-generator/];

/** PromQL cannot change anything, and is no command. */
const metricQueries = new Set(
  SHIPPED_DOMAINS.flatMap(({ runbooks }) => runbooks).flatMap(({ markdown }) =>
    parseChecks(markdown).checks.flatMap(({ language, query }) => (language === "promql" ? [query] : [])),
  ),
);

const commands = SHIPPED_DOMAINS.flatMap(({ runbooks }) => runbooks).flatMap(({ source, markdown }) =>
  parseSections(markdown, source).sections.flatMap(({ headingPath, blocks }) =>
    parseRunbookItems(blocks.join("\n\n")).flatMap(({ command, effect }) =>
      command === null || metricQueries.has(command)
        ? []
        : [{ section: headingPath.join(), command, mark: effect, effect: commandEffect(command) }],
    ),
  ),
);
const marked = (mark: string) => commands.filter((each) => each.mark === mark);

describe("the commands of the runbooks that ship", () => {
  it("are some of each kind", () => {
    expect(marked("read_only").length).toBeGreaterThan(10);
    expect(marked("changes_state").length).toBeGreaterThan(150);
  });

  it("are verified as read-only where they confirm", () => {
    const confirming = commands.filter(({ section }) => section === "Confirm");
    const unverified = confirming.filter(({ effect }) => effect !== "read_only");
    expect(confirming.length).toBeGreaterThan(250);
    expect(unverified.filter(({ command }) => !NOT_VERIFIED.some((pattern) => pattern.test(command)))).toEqual([]);
    expect(unverified.filter(({ effect }) => effect !== null)).toEqual([]);
  });

  it("are never read_only where they are marked (changes state)", () => {
    expect(marked("changes_state").filter(({ effect }) => effect === "read_only")).toEqual([]);
  });

  it("keep their effect when names fill in their placeholders", () => {
    const filled = commands.map(({ command, effect }) => {
      const names = Object.fromEntries(placeholdersIn(command).map((placeholder) => [placeholder, "orders_1"]));
      return { command, effect, after: commandEffect(withPlaceholders(command, names)), isFilled: names["<pod>"] };
    });
    expect(filled.filter(({ isFilled }) => isFilled !== undefined).length).toBeGreaterThan(10);
    const changed = filled.filter(({ effect, after }) => effect !== null && after !== effect);
    expect(changed.map(({ command, effect, after }) => [command, effect, after])).toEqual([]);
  });

  it("change something where they are marked (read-only) only by saving evidence to a file", () => {
    const changing = marked("read_only").filter(({ effect }) => effect === "changes_state");
    expect(changing.filter(({ command }) => !/ > \S+(?: 2>&1)?$/.test(command))).toEqual([]);
  });
});
