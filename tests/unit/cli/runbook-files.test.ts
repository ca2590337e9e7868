import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseRunbook, readRunbooks } from "../../../cli/runbook-files.ts";

describe("parseRunbook", () => {
  it("splits the front matter from the text", () => {
    const content = "---\nincident_type: oom_killed\ntags: [memory, exit-137]\n---\n\n# Killed\n\nText.\n";
    expect(parseRunbook("docker/killed.md", content)).toEqual({
      source: "docker/killed.md",
      markdown: "\n# Killed\n\nText.\n",
      metadata: { incident_type: "oom_killed", tags: "memory,exit-137" },
    });
  });

  it("keeps a file without front matter unchanged", () => {
    expect(parseRunbook("a.md", "# Killed\n\n---\n\nText.\n")).toEqual({
      source: "a.md",
      markdown: "# Killed\n\n---\n\nText.\n",
      metadata: {},
    });
  });

  it("keeps a horizontal rule below the front matter", () => {
    expect(parseRunbook("a.md", "---\ntags: [x]\n---\nOne\n\n---\n\nTwo").markdown).toBe("One\n\n---\n\nTwo");
  });

  it("omits metadata that the front matter lacks", () => {
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
    await mkdir(join(directory, "docker", "team"));
    await mkdir(join(directory, "docker", ".trash"));
    await mkdir(join(directory, ".git"));
    await writeFile(join(directory, "docker", "b.md"), "# B\n");
    await writeFile(join(directory, "docker", "a.md"), "# A\n");
    await writeFile(join(directory, "docker", "notes.txt"), "not a runbook");
    await writeFile(join(directory, "docker", "team", "c.md"), "# C\n");
    await writeFile(join(directory, "docker", ".trash", "d.md"), "# D\n");
    await writeFile(join(directory, "README.md"), "# About this folder\n");
  });

  afterAll(() => rm(directory, { recursive: true }));

  it("reads the Markdown files of each domain's folder at any depth, sorted by name, and no others", async () => {
    const { docker, ...others } = await readRunbooks(directory);
    expect(docker).toEqual([
      { source: "docker/a.md", markdown: "# A\n", metadata: {} },
      { source: "docker/b.md", markdown: "# B\n", metadata: {} },
      { source: "docker/team/c.md", markdown: "# C\n", metadata: {} },
    ]);
    expect(others).toEqual({ podman: [], kubernetes: [], postgres: [] });
  });

  it("follows a symbolic link to a folder", async () => {
    await using other = await temporaryFolder();
    await symlink(join(directory, "docker"), join(other.path, "podman"));
    expect((await readRunbooks(other.path)).podman.map(({ source }) => source)).toContain("podman/a.md");
  });

  it("rejects a missing folder by name", async () => {
    const missing = join(directory, "missing");
    await expect(readRunbooks(missing)).rejects.toThrow(`${missing} does not exist.`);
  });

  it("rejects a file instead of a folder", async () => {
    await expect(readRunbooks(join(directory, "README.md"))).rejects.toThrow(/README\.md is no folder.*docker\//s);
  });

  it.each([
    ["is empty", []],
    ["has domains' folders without runbooks", ["docker", "postgres"]],
  ])("refuses a folder that %s, and says what belongs in it", async (_what, folders) => {
    await using empty = await temporaryFolder();
    for (const name of folders) await mkdir(join(empty.path, name));
    await expect(readRunbooks(empty.path)).rejects.toThrow(/holds no runbooks\. Put runbooks .* kubernetes\//);
  });

  it.each([[["redis"]], [["docker", "redis", "wiki"]]])(
    "refuses the subfolders %j and names the unknown",
    async (names) => {
      await using folder = await temporaryFolder();
      for (const name of names) {
        await mkdir(join(folder.path, name));
        await writeFile(join(folder.path, name, "a.md"), "# A\n");
      }
      const unknown = names.filter((name) => name !== "docker").map((name) => `${name}/`);
      await expect(readRunbooks(folder.path)).rejects.toThrow(`belong to no domain: ${unknown.join(", ")}. Put`);
    },
  );

  it("rejects an unreadable runbook", async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, "docker"));
    await symlink(join(folder.path, "gone"), join(folder.path, "docker", "a.md"));
    await expect(readRunbooks(folder.path)).rejects.toThrow(/docker\/a\.md/);
  });
});

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), "dejavu-runbooks-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}
