import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseRunbook, readRunbooks } from "../../../seeds/runbook-files.ts";

describe("parseRunbook", () => {
  it("splits the front matter from the text", () => {
    const content = "---\nincident_type: oom_killed\ntags: [memory, exit-137]\n---\n\n# Killed\n\nText.\n";
    expect(parseRunbook("docker/killed.md", content)).toEqual({
      source: "docker/killed.md",
      markdown: "\n# Killed\n\nText.\n",
      metadata: { incident_type: "oom_killed", tags: "memory,exit-137" },
    });
  });

  it("takes a file without front matter as it is", () => {
    expect(parseRunbook("a.md", "# Killed\n\n---\n\nText.\n")).toEqual({
      source: "a.md",
      markdown: "# Killed\n\n---\n\nText.\n",
      metadata: {},
    });
  });

  it("keeps a rule in the text below the front matter", () => {
    expect(parseRunbook("a.md", "---\ntags: [x]\n---\nOne\n\n---\n\nTwo").markdown).toBe("One\n\n---\n\nTwo");
  });

  it("leaves out what the front matter does not say", () => {
    expect(parseRunbook("a.md", "---\ntags: []\n---\nText").metadata).toEqual({});
    expect(parseRunbook("a.md", "---\nincident_type: dns\n---\nText").metadata).toEqual({ incident_type: "dns" });
  });

  it("reads Windows line ends", () => {
    expect(parseRunbook("a.md", "---\r\nincident_type: dns\r\n---\r\n# A\r\n")).toEqual({
      source: "a.md",
      markdown: "# A\r\n",
      metadata: { incident_type: "dns" },
    });
  });

  it.each([
    ["an unknown field", "---\nincident_typ: dns\n---\n", "incident_typ"],
    ["a type that is no snake_case", "---\nincident_type: OOM Killed\n---\n", "incident_type"],
    ["tags that are no list", "---\ntags: memory\n---\n", "tags"],
    ["an empty tag", '---\ntags: ["a", ""]\n---\n', "tags"],
    ["front matter that is no map", "---\njust words\n---\n", "front matter"],
    ["front matter that is no YAML", "---\ntags: [a\n---\n", "front matter"],
  ])("refuses %s and names the file and the fault", (_what, content, fault) => {
    expect(() => parseRunbook("docker/killed.md", content)).toThrow(/docker\/killed\.md/);
    expect(() => parseRunbook("docker/killed.md", content)).toThrow(fault);
  });
});

describe("readRunbooks", () => {
  let directory = "";

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "dejavu-runbooks-"));
    await mkdir(join(directory, "docker"));
    await mkdir(join(directory, "elsewhere"));
    await writeFile(join(directory, "docker", "b.md"), "# B\n");
    await writeFile(join(directory, "docker", "a.md"), "# A\n");
    await writeFile(join(directory, "docker", "notes.txt"), "not a runbook");
    await writeFile(join(directory, "elsewhere", "c.md"), "# C\n");
  });

  afterAll(() => rm(directory, { recursive: true }));

  it("reads the Markdown files of each domain's folder, sorted by name, and no others", async () => {
    const { docker, ...others } = await readRunbooks(directory);
    expect(docker).toEqual([
      { source: "docker/a.md", markdown: "# A\n", metadata: {} },
      { source: "docker/b.md", markdown: "# B\n", metadata: {} },
    ]);
    expect(others).toEqual({ podman: [], kubernetes: [], postgres: [] });
  });

  it("finds no runbooks where there is no folder", async () => {
    expect(await readRunbooks(join(directory, "missing"))).toEqual({
      docker: [],
      podman: [],
      kubernetes: [],
      postgres: [],
    });
  });
});
