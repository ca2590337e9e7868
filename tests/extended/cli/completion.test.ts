// Completion in the real shells.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { findProgram } from "../../support/debian.ts";

const zsh = await findProgram("zsh");
const fish = await findProgram("fish");
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dejavu-completion-"));
  await mkdir(join(folder, "bin"));
  await mkdir(join(folder, "work"));
  const script = `#!/bin/sh\nexec "${process.execPath}" "${join(REPO_DIR, "cli/dejavu.ts")}" "$@"\n`;
  await writeFile(join(folder, "bin/dejavu"), script, { mode: 0o755 });
  await symlink(process.execPath, join(folder, "bin/node"));
  await writeFile(join(folder, "work/alert.json"), "{}");
  const profiles = { profiles: { work: { url: "https://work.example", token: "a-token" } } };
  await mkdir(join(folder, ".config/dejavu"), { recursive: true });
  await writeFile(join(folder, ".config/dejavu/config.json"), JSON.stringify(profiles), { mode: 0o600 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function run(program: string, args: readonly string[]): Promise<string> {
  const env = { PATH: `${join(folder, "bin")}:${process.env.PATH}`, HOME: folder, TERM: "xterm" };
  return new Promise((resolve) => {
    const child = execFile(program, [...args], { cwd: join(folder, "work"), env }, (_, out, problems) =>
      resolve(`${out}${problems}`),
    );
    child.stdin?.end();
  });
}

/** What each shell offers for a command line, sorted, without descriptions. */
const SHELLS: Readonly<Record<string, { program: string | null; offers: (line: string) => Promise<string[]> }>> = {
  bash: {
    program: "bash",
    // What readline does: call the function, and complete file names where it has nothing.
    offers: async (line) => {
      const words = line.split(" ");
      const script = [
        "source <(dejavu completion bash); source <(dejavu completion bash)",
        `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}`,
        "_dejavu",
        `if [ \${#COMPREPLY[@]} -gt 0 ]; then printf "%s\\n" "\${COMPREPLY[@]}"`,
        `elif complete -p dejavu | grep -q -- "-o default"; then compgen -f -- '${words.at(-1)}'; fi`,
      ].join("\n");
      return sorted(await run("bash", ["--norc", "-c", script]));
    },
  },
  zsh: {
    program: zsh,
    // A pseudo terminal types the line and a tab; the completion widget prints what it would offer.
    offers: async (line) => {
      const script = [
        "zmodload zsh/zpty",
        "zpty shell 'zsh -f -i'",
        `zpty -w shell $'PS1=; autoload -Uz compinit; compinit -u -D; source <(dejavu completion zsh)'`,
        // Replaces the functions that show candidates.
        `zpty -w shell $'_describe() { print -r -- "OFFER \${(@j:|:)\${(P)2}%%:*}"; print -r -- DONE }'`,
        `zpty -w shell $'_files() { print -r -- "OFFER \${(j:|:)\${(@f)$(print -l *)}}"; print -r -- DONE }'`,
        `zpty -w shell $'bindkey "^I" complete-word; print READY'`,
        "zpty -r shell text '*READY*READY*'",
        `zpty -n -w shell ${JSON.stringify(line).replaceAll("$", "\\$")}$'\\t'`,
        "zpty -r shell text '*DONE*'",
        'print -r -- "$text"',
        "zpty -d shell",
      ].join("\n");
      const offer = /OFFER ([^\r\n]*)/.exec(await run(zsh ?? "", ["-f", "-c", script]))?.[1] ?? "";
      return offer.split("|").filter(Boolean).sort();
    },
  },
  fish: {
    program: fish,
    offers: async (line) => {
      const script = `dejavu completion fish | source; complete -C '${line}'`;
      return sorted(await run(fish ?? "", ["--no-config", "-c", script]));
    },
  },
};

function sorted(out: string): string[] {
  const lines = out.split("\n").map((line) => line.split("\t")[0] ?? "");
  return lines.filter((line) => line !== "").sort();
}

describe.each(Object.entries(SHELLS))("completion in %s", (_, { program, offers }) => {
  it.skipIf(program === null).each([
    ["commands", "dejavu tri", ["triage"]],
    ["subcommands", "dejavu runbooks ", ["add", "check", "export", "help", "list", "rm", "show"]],
    ["options", "dejavu list --s", ["--session", "--severity", "--status"]],
    ["values of an option", "dejavu list --status tri", ["triaged"]],
    ["values of an argument", "dejavu feedback last ", ["down", "none", "up"]],
    ["the last incident", "dejavu resolve l", ["last"]],
    ["jobs", "dejavu jobs run retry", ["retry-outbox"]],
    ["profiles", "dejavu list --profile w", ["work"]],
    ["commands to help with", "dejavu help run", ["runbooks"]],
    ["options after the value of another", "dejavu list --domain docker --stat", ["--status"]],
    ["file names where nothing else fits", "dejavu triage --file al", ["alert.json"]],
  ])("offers %s: %s", async (_, line, expected) => {
    expect(await offers(line)).toEqual(expected);
  });

  it.skipIf(program === null)("runs no command that is typed on the line", async () => {
    await offers(`dejavu triage $(touch\${IFS}typed) --tar`);
    expect(await run("ls", [])).toBe("alert.json\n");
  });
});
