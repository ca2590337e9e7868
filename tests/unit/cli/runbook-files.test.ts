import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillOf } from "../../../cli/commands/runbooks/runbooks-export.ts";
import { findDomainFiles, parseRunbookFile, readDomainFolders, skillText } from "../../../cli/runbook-files.ts";

describe("parseRunbookFile", () => {
  it("splits the front matter from the text", () => {
    const content = "---\nincident_type: oom_killed\ntags: [memory, exit-137]\n---\n\n# Killed\n\nText.\n";
    expect(parseRunbookFile("docker/killed.md", content)).toEqual({
      source: "docker/killed.md",
      markdown: "\n# Killed\n\nText.\n",
      metadata: { incident_type: "oom_killed", tags: "memory,exit-137" },
    });
  });

  it("keeps a file without front matter unchanged", () => {
    expect(parseRunbookFile("a.md", "# Killed\n\n---\n\nText.\n")).toEqual({
      source: "a.md",
      markdown: "# Killed\n\n---\n\nText.\n",
      metadata: {},
    });
  });

  it("keeps a horizontal rule below the front matter", () => {
    expect(parseRunbookFile("a.md", "---\ntags: [x]\n---\nOne\n\n---\n\nTwo").markdown).toBe("One\n\n---\n\nTwo");
  });

  it("omits metadata that the front matter lacks", () => {
    expect(parseRunbookFile("a.md", "---\ntags: []\n---\nText").metadata).toEqual({});
    expect(parseRunbookFile("a.md", "---\nincident_type: dns\n---\nText").metadata).toEqual({ incident_type: "dns" });
  });

  it("takes a number for a tag", () => {
    expect(parseRunbookFile("a.md", "---\ntags: [429, rate]\n---\nText").metadata).toEqual({ tags: "429,rate" });
  });

  it("reads tags without brackets, a field without a value, and TOML", () => {
    expect(parseRunbookFile("a.md", "---\ntags: dns, slow\n---\nText").metadata).toEqual({ tags: "dns,slow" });
    expect(parseRunbookFile("a.md", "---\ntags:\n---\nText").metadata).toEqual({});
    expect(parseRunbookFile("a.md", '+++\ntitle = "A"\ntags = ["dns"]\n+++\nText')).toEqual({
      source: "a.md",
      markdown: "# A\nText",
      metadata: { tags: "dns" },
    });
  });

  it("reads Windows line ends", () => {
    expect(parseRunbookFile("a.md", "---\r\nincident_type: dns\r\n---\r\n# A\r\n")).toEqual({
      source: "a.md",
      markdown: "# A\r\n",
      metadata: { incident_type: "dns" },
    });
  });

  it("leaves out fields of the author's own", () => {
    expect(parseRunbookFile("a.md", "---\ntitle: A\nowner: team-a\ntags: [dns, 429]\n---\n# A\n").metadata).toEqual({
      tags: "dns,429",
    });
  });

  it.each([
    ["a type that is no snake_case", "---\nincident_type: OOM Killed\n---\n", "incident_type"],
    ["tags that are no list", "---\ntags: { a: b }\n---\n", "tags"],
    ["an empty tag", '---\ntags: ["a", ""]\n---\n', "tags"],
    ["front matter that is no map", "---\njust words\n---\n", "front matter"],
    ["front matter that is no YAML", "---\ntags: [a\n---\n", "it is not valid YAML"],
  ])("refuses %s and names the file and the fault", (_what, content, fault) => {
    expect(() => parseRunbookFile("docker/killed.md", content)).toThrow(/docker\/killed\.md/);
    expect(() => parseRunbookFile("docker/killed.md", content)).toThrow(fault);
  });
});

describe("readDomainFolders", () => {
  const namesOf = async (path: string) => (await readDomainFolders(path)).map(({ name }) => name);

  it("reads a folder for each domain, and its Markdown files at any depth, sorted by name", async () => {
    await using folder = await folderWith({
      "docker/b.md": "# B\n",
      "docker/a.md": "# A\n",
      "docker/notes.txt": "not a runbook",
      "docker/README.md": "# About this folder\n",
      "docker/team/c.md": "# C\n",
      "docker/team/Readme.md": "# About\n",
      "docker/.trash/d.md": "# D\n",
      ".git/e.md": "# E\n",
      "README.md": "# About these folders\n",
    });
    expect(await readDomainFolders(folder.path)).toEqual([
      {
        name: "docker",
        definition: null,
        runbooks: [
          { source: "docker/a.md", markdown: "# A\n", metadata: {} },
          { source: "docker/b.md", markdown: "# B\n", metadata: {} },
          { source: "docker/team/c.md", markdown: "# C\n", metadata: {} },
        ],
      },
    ]);
  });

  it("reads a folder of skills as one domain, with the name and description of each above its text", async () => {
    const front = "---\nname: pg-slots\ndescription: Use when connection slots run out.\n---\n";
    await using skills = await folderWith({
      "team/pg-slots/SKILL.md": `${front}\nClose idle sessions.\n`,
      "team/full-disk/SKILL.md": `${front}# Full disk\n\nDelete logs.\n`,
      "team/full-disk/run.sh": "df",
    });
    const [domain] = await readDomainFolders(join(skills.path, "team"));
    expect(domain?.name).toBe("team");
    expect(domain?.runbooks.map(({ source, markdown }) => [source, markdown])).toEqual([
      ["team/full-disk.md", "# Full disk\n\nUse when connection slots run out.\n\nDelete logs.\n"],
      ["team/pg-slots.md", "# pg-slots\n\nUse when connection slots run out.\n\nClose idle sessions.\n"],
    ]);
  });

  it("does not repeat the description of a skill that quotes its text, as those of an export do", async () => {
    const source = { source: "redis/full.md", title: "Redis is full", sections: [] };
    const text =
      "# Redis is full\n\nWrites fail with an error, and reads go on\nas before.\n\n## Fix\n\nRaise maxmemory.\n";
    const exported = skillOf("redis-full", { ...source, text });
    expect(skillText("redis-full/SKILL.md", exported).replace(/^---.*?---\s*/s, "")).toBe(text);
  });

  it("takes any name for a domain", async () => {
    await using folder = await folderWith({ "team-blue/a.md": "", "redis_7/a.md": "", "9/a.md": "" });
    expect(await namesOf(folder.path)).toEqual(["9", "redis_7", "team-blue"]);
  });

  it.each(["a.md", "domain.yaml", "deep/a.md\u0000a.md"])("is one domain with %j at its top", async (paths) => {
    const files = Object.fromEntries(paths.split("\u0000").map((path) => [`redis/${path}`, ""]));
    await using folder = await folderWith(files);
    const [domain, ...others] = await readDomainFolders(join(folder.path, "redis"));
    expect([domain?.name, others]).toEqual(["redis", []]);
    expect(domain?.runbooks.every(({ source }) => source.startsWith("redis/"))).toBe(true);
  });

  it("reads the definition of a domain, also one without runbooks", async () => {
    await using folder = await folderWith({
      "redis/domain.yaml": "description: Redis servers.\nhints:\n  - words: [redis, valkey]\n",
      "empty/domain.yaml": "# Nothing yet.\n",
      "kafka/a.md": "# A\n",
    });
    const domains = await readDomainFolders(folder.path);
    expect(domains.map(({ name, definition }) => [name, definition?.description])).toEqual([
      ["empty", ""],
      ["kafka", undefined],
      ["redis", "Redis servers."],
    ]);
    expect(domains[2]?.definition?.hints).toEqual([{ words: ["redis", "valkey"], weight: 3 }]);
  });

  it.each([
    ["labels:\n  - match: { domain: [redis] }\n", "labels.0.match: must not hold the label `domain`"],
    ["hints:\n  - pattern: (a+)+\n", "hints.0.pattern: repeats the group (a+)+"],
    ["hint: []\ndescription: 7\n", 'file: Unrecognized key: "hint"'],
    ["- a\n", "file: "],
    ["hints: [a\n", "it is not valid YAML"],
  ])("refuses the definition %j and names the file and each fault", async (yaml, fault) => {
    await using folder = await folderWith({ "redis/domain.yaml": yaml });
    await expect(readDomainFolders(folder.path)).rejects.toThrow("redis/domain.yaml");
    await expect(readDomainFolders(folder.path)).rejects.toThrow(fault);
  });

  it.each(["Redis", "my redis", "a.b", "größe", "a".repeat(64)])(
    "names the folder %j and reads the others",
    async (name) => {
      await using folder = await folderWith({ [`${name}/a.md`]: "# A\n", "docker/a.md": "# A\n" });
      const { domains, problems } = await findDomainFiles(folder.path);
      expect(domains.map((domain) => domain.name)).toEqual(["docker"]);
      expect(problems).toEqual([
        { file: join(folder.path, name), message: expect.stringContaining("Rename the folder") },
      ]);
      expect(await findDomainFiles(join(folder.path, name))).toEqual({ domains: [], problems, skipped: [] });
    },
  );

  it("names a file that cannot be stored, of two of one name the second, and files that are no runbooks", async () => {
    const long = `${"a".repeat(200)}.md`;
    const names = ["Disk Full.md", "disk-full.markdown", "é.v2.mdx", "a+b.md", long, "page.html.md.erb", "graph.png"];
    await using folder = await folderWith(Object.fromEntries(names.map((name) => [`redis/${name}`, "# A\n"])));
    const { domains, problems, skipped } = await findDomainFiles(folder.path);
    const path = (name: string) => join(folder.path, "redis", name);
    expect(domains.flatMap(({ runbooks }) => runbooks.map(({ source }) => source))).toEqual([
      "redis/Disk Full.md",
      "redis/page.html.md.erb",
      "redis/é.v2.mdx",
    ]);
    expect(problems).toEqual([
      { file: path("a+b.md"), message: expect.stringContaining("letters, digits") },
      { file: path(long), message: expect.stringContaining("the limit is 200") },
      { file: path("disk-full.markdown"), message: expect.stringContaining("Disk Full.md has the same name") },
    ]);
    expect(skipped).toEqual([path("graph.png")]);
  });

  it("leaves out a page that has front matter alone", async () => {
    await using folder = await folderWith({ "redis/_index.md": "---\ntitle: Redis\n---\n", "redis/a.md": "# A\n" });
    const [redis] = await readDomainFolders(folder.path);
    expect(redis?.runbooks.map(({ source }) => source)).toEqual(["redis/a.md"]);
  });

  it("refuses runbooks beside a domain with a definition", async () => {
    await using folder = await folderWith({ "ops/a.md": "# A\n", "ops/redis/domain.yaml": "" });
    await expect(readDomainFolders(join(folder.path, "ops"))).rejects.toThrow(
      /ops holds runbooks itself, and its folder redis\/ is a domain/,
    );
  });

  it("follows a symbolic link to a folder", async () => {
    await using folder = await folderWith({ "docker/a.md": "# A\n" });
    await using other = await folderWith({});
    await symlink(join(folder.path, "docker"), join(other.path, "podman"));
    const [podman] = await readDomainFolders(other.path);
    expect(podman?.runbooks.map(({ source }) => source)).toEqual(["podman/a.md"]);
  });

  it("rejects a missing folder by name", async () => {
    await using folder = await folderWith({});
    const missing = join(folder.path, "missing");
    await expect(readDomainFolders(missing)).rejects.toThrow(`${missing} does not exist.`);
  });

  it("rejects a file instead of a folder", async () => {
    await using folder = await folderWith({ "a.md": "# A\n" });
    await expect(readDomainFolders(join(folder.path, "a.md"))).rejects.toThrow(/a\.md is no folder\. Give a folder/);
  });

  it.each([
    ["is empty", []],
    ["has domains' folders without runbooks", ["docker", "postgres"]],
  ])("refuses a folder that %s, and says what belongs in it", async (_what, names) => {
    await using empty = await folderWith({});
    for (const name of names) await mkdir(join(empty.path, name));
    await expect(readDomainFolders(empty.path)).rejects.toThrow(
      /holds no runbooks\. Give a folder with Markdown files/,
    );
  });

  it("rejects an unreadable runbook", async () => {
    await using folder = await folderWith({ "docker/b.md": "# B\n" });
    await symlink(join(folder.path, "gone"), join(folder.path, "docker", "a.md"));
    await expect(readDomainFolders(folder.path)).rejects.toThrow(/docker(?:\/a\.md)?/);
  });
});

/** A temporary folder with these files, by path. */
async function folderWith(files: Readonly<Record<string, string>>) {
  const path = await mkdtemp(join(tmpdir(), "dejavu-runbooks-"));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}
