import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { partIdentifiers, RETIRED, retiredWordsIn, vagueNamesIn } from "./language.ts";

const ROOT = new URL("../../", import.meta.url);
const FOLDERS = [
  "functions",
  "lib",
  "client",
  "console",
  "cli",
  "dev",
  "tests",
  "bench",
  "evals",
  "seeds",
  "supabase",
  "docs",
];
const TEXT_FILE = /\.(ts|mjs|sql|md|toml|css|yaml)$/;
const CODE_FILE = /\.tsx?$/;

/** Texts in which a retired word is right, each with the reason. */
const EXCEPTIONS: readonly { readonly path: RegExp; readonly words?: RegExp; readonly reason: string }[] = [
  { path: /^tests\/unit\/language(\.test)?\.ts$/, reason: "the list itself" },
  { path: /^CHANGELOG\.md$/, reason: "names what was renamed" },
  { path: /^tests\/unit\/lib\/text\/quoted-sentences/, words: /^without words/, reason: "texts without words" },
  {
    path: /^(lib|tests\/unit\/lib)\/injection\//,
    words: /^(told|tells?|is told)/,
    reason: "phrases of attacks, as attackers write them",
  },
  {
    path: /^seeds\/runbooks\/(?!dejavu\/)/,
    reason: "runbooks about other software, in its words",
  },
  {
    path: /^lib\/markdown\/section-role\.ts$/,
    words: /^lessons$/,
    reason: "words of headings, as people write them",
  },
  {
    path: /^bench\/(scale\/corpus|own-domains\/)/,
    reason: "sample incidents and runbooks, as people write them",
  },
];

async function textFiles(): Promise<string[]> {
  const inFolders = await Promise.all(
    FOLDERS.map(async (folder) => {
      const names = await readdir(fileURLToPath(new URL(`${folder}/`, ROOT)), { recursive: true });
      return names.map((name) => `${folder}/${name.replaceAll("\\", "/")}`);
    }),
  );
  const atTop = (await readdir(fileURLToPath(ROOT))).filter((name) => !name.startsWith("."));
  return [...inFolders.flat(), ...atTop]
    .filter((name) => TEXT_FILE.test(name) && !name.includes("/node_modules/"))
    .sort();
}

const files = await textFiles();
const texts = await Promise.all(
  files.map(async (file) => [file, await readFile(new URL(file, ROOT), "utf8")] as const),
);

function isExcepted(file: string, words: string): boolean {
  return EXCEPTIONS.some(({ path, words: only }) => path.test(file) && (only === undefined || only.test(words)));
}

describe("the project's texts", () => {
  it("are all read", () => {
    expect(files.length).toBeGreaterThan(600);
    expect(files).toContain("README.md");
    expect(files).toContain("functions/app.ts");
  });

  it("use no retired word", () => {
    const findings = texts.flatMap(([file, text]) =>
      retiredWordsIn(text)
        .filter(({ words }) => !isExcepted(file, words))
        .map(({ line, words, instead }) => `${file}:${line}: "${words}", say ${instead}`),
    );
    expect(findings).toEqual([]);
  });

  it("name no variable after a participle that says nothing of its value", () => {
    const findings = texts
      .filter(([file]) => CODE_FILE.test(file))
      .flatMap(([file, text]) => vagueNamesIn(file, text).map((name) => `${file}: ${name}`));
    expect(findings).toEqual([]);
  });
});

describe("retiredWordsIn", () => {
  it.each([
    ["const owedWrites = [];", "owed"],
    ["// Owns the copying of documents.", "// owns"],
    ["class OutsideError extends Error {}", "outside error"],
    ["Postgres is away.", "is away"],
    ["create function public.owe_writes()", "owe"],
    ["MOST_SPANS = 4", "most spans = 4"],
    ["every front door", "door"],
  ])("finds %j", (text, words) => {
    expect(retiredWordsIn(text).map((finding) => finding.words)).toContain(words);
  });

  it.each(["the lowest layer", "docker compose", "a signal of the process", "right away", "an episodic memory"])(
    "accepts %j",
    (text) => {
      expect(retiredWordsIn(text)).toEqual([]);
    },
  );

  it("names what to say", () => {
    expect(retiredWordsIn("a\nthe yardstick")).toEqual([
      { line: 2, words: "yardstick", instead: "relevance criteria" },
    ]);
    expect(RETIRED.every(({ instead }) => instead !== "")).toBe(true);
  });

  it("reads identifiers word by word", () => {
    expect(partIdentifiers("timeLeftMs MAX_BODY_BYTES p_now")).toBe("time left ms max body bytes p now");
  });
});

describe("vagueNamesIn", () => {
  it.each([
    ["const known = 1;", ["known"]],
    ["const { known: cached, asked } = x;", ["asked"]],
    ["function f(said: string, n = 1) {}", ["said"]],
    ["list.map((given) => given.id);", ["given"]],
    ["const knownHosts = []; x.known = 1; const y = { found: 2 };", []],
  ])("reads %j", (code, names) => {
    expect(vagueNamesIn("x.ts", code)).toEqual(names);
  });
});
