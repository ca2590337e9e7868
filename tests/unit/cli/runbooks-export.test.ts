import { describe, expect, it } from "vitest";
import { skillName, skillOf } from "../../../cli/commands/runbooks/runbooks-export.ts";
import { skillText } from "../../../cli/runbook-files.ts";

const RUNBOOK = {
  source: "postgres/slots.md",
  title: 'Slots: "used up"',
  text: "---\ntags: [a]\n---\n# Slots\n\n```sh\ndf\n```\n\nNo new\nconnections.\n\nMore.\n",
  sections: [],
};

describe("a runbook as a skill", () => {
  it("has its title and first paragraph as description, and is read as a runbook again", () => {
    const skill = skillOf("postgres-slots", RUNBOOK);
    expect(skill).toBe(
      '---\nname: postgres-slots\ndescription: "Slots: \\"used up\\". No new connections."\n---\n\n# Slots\n\n```sh\ndf\n```\n\nNo new\nconnections.\n\nMore.\n',
    );
    expect(skillText("SKILL.md", skill)).toContain('# Slots\n\nSlots: "used up". No new connections.\n\n```sh');
  });

  it("is made of the sections when no text is stored, within the limits of agents", () => {
    const sections = [
      { heading: "", text: "x".repeat(2_000) },
      { heading: "Confirm", text: "Look." },
    ];
    const skill = skillOf("a", { ...RUNBOOK, title: "T", text: null, sections });
    expect(skill).toContain("\n\n# T\n\nxxx");
    expect(skill).toContain("\n\n## Confirm\n\nLook.\n");
    expect(/description: "(.*)"/.exec(skill)?.[1]).toHaveLength(1_024);
  });

  it("has a name of its own without other characters than letters, digits and hyphens", () => {
    const names = new Set<string>();
    expect(
      ["a/b.md", "a-b.md", "../größe/X Y.md", `${"z".repeat(90)}.md`, "ö.md"].map((each) => skillName(each, names)),
    ).toEqual(["a-b", "a-b-2", "gr-e-x-y", "z".repeat(64), "runbook"]);
  });
});
