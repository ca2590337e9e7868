// Owns the programs that run another command: which of their words are that command's. Pure.

import { names, readOptions } from "./command-options.ts";
import type { CommandEffect } from "./effect.ts";

export interface RunnerCommand {
  /** Texts for a shell. */
  readonly shell: readonly string[];
  /** Texts for a PostgreSQL server. */
  readonly sql: readonly string[];
  /** Commands by their words. */
  readonly words: readonly (readonly string[])[];
  /** What the runner does by itself. */
  readonly effects: readonly CommandEffect[];
}

interface Runner {
  readonly valued?: ReadonlySet<string>;
  /** Arguments before the command. */
  readonly skipped?: number;
  /** The rest is one text for a shell, as for `watch`. */
  readonly joins?: boolean;
  /** Without a command it only reads. */
  readonly readsAlone?: boolean;
}

const PLAIN: Runner = {};
const RUNNERS: ReadonlyMap<string, Runner> = new Map(
  Object.entries<Runner>({
    builtin: PLAIN,
    busybox: PLAIN,
    chroot: { skipped: 1 },
    chronic: PLAIN,
    doas: { valued: names("-u -C") },
    env: { valued: names("-u --unset -C --chdir"), readsAlone: true },
    eval: { joins: true },
    exec: { valued: names("-a") },
    flock: { valued: names("-w --timeout -E"), skipped: 1 },
    gosu: { skipped: 1 },
    ionice: { valued: names("-c -n --class --classdata") },
    k3s: PLAIN,
    microk8s: PLAIN,
    nice: { valued: names("-n --adjustment") },
    nohup: PLAIN,
    nsenter: { valued: names("-t --target -S --setuid -G --setgid") },
    runuser: { valued: names("-u --user -g --group -G") },
    setsid: PLAIN,
    ssh: { valued: names("-p -i -o -l -F -J -L -R -D -E -e -c -b -B -I -m -O -Q -S -W -w"), skipped: 1, joins: true },
    stdbuf: { valued: names("-i -o -e --input --output --error") },
    "su-exec": { skipped: 1 },
    sudo: { valued: names("-u --user -g --group -h --host -p --prompt -C -D --chdir -R --chroot -T -U -r -t") },
    timeout: { valued: names("-k --kill-after -s --signal"), skipped: 1 },
    unshare: PLAIN,
    watch: { valued: names("-n --interval"), joins: true },
    xargs: {
      valued: names("-I -n -P -L -d -s -E -a --max-args --max-procs --max-lines --delimiter --arg-file --replace"),
      readsAlone: true,
    },
  }),
);

const SHELLS = names("sh bash dash ash zsh ksh");
const PSQL_VALUED = names(`-h --host -p --port -U --username -d --dbname -c --command -f --file -v --set --variable -F
  --field-separator -P --pset -R --record-separator -T --table-attr -o --output -L --log-file`);

/**
 * What the program runs, or undefined for one that runs nothing; "unknown" where its command cannot be seen, "nothing"
 * where it has none and only reads.
 * @param input the text that a here-document gives to the program
 */
export function runnerCommand(
  program: string,
  args: readonly string[],
  input: string | undefined,
): RunnerCommand | "unknown" | "nothing" | undefined {
  if (program === "psql") return psqlCommand(args, input);
  if (SHELLS.has(program)) return shellCommand(args, input);
  if (program === "su" || (program === "runuser" && !args.includes("-u"))) return suCommand(args);
  // `command -v name` says where a program lies.
  if (program === "command") return /^-[vV]+$/.test(args[0] ?? "") ? "nothing" : runs([args]);
  const runner = RUNNERS.get(program);
  if (!runner) return undefined;
  const { options, positionals } = readOptions(args, runner.valued ?? new Set(), true);
  const first = positionals[runner.skipped ?? 0];
  if (program === "env" && options.some(({ name }) => name === "-S" || name === "--split-string")) return "unknown";
  if (!first) return runner.readsAlone ? "nothing" : "unknown";
  const words = args.slice(first.index);
  return runner.joins ? { shell: [words.join(" ")], sql: [], words: [], effects: [] } : runs([words]);
}

function runs(words: readonly (readonly string[])[]): RunnerCommand {
  return { shell: [], sql: [], words, effects: [] };
}

function psqlCommand(args: readonly string[], input: string | undefined): RunnerCommand | "unknown" | "nothing" {
  const { options } = readOptions(args, PSQL_VALUED);
  const has = (pattern: RegExp) => options.some(({ name }) => pattern.test(name));
  const sql = options.filter(({ name }) => /^(?:-c|--command)$/.test(name)).map(({ value = "" }) => value);
  if (sql.length === 0 && has(/^(?:-l|--list|-V|--version|--help|-\?)$/)) return "nothing";
  if (sql.length === 0 && input !== undefined) sql.push(input);
  // A file says only when it is read what it does.
  if (sql.length === 0 || has(/^(?:-f|--file)$/)) sql.push("");
  return { shell: [], sql, words: [], effects: has(/^(?:-[oL]|--output|--log-file)$/) ? ["changes_state"] : [] };
}

function shellCommand(args: readonly string[], input: string | undefined): RunnerCommand | "unknown" {
  const { options, positionals } = readOptions(args, names("-o -O"), true);
  const isText = options.some(({ name }) => name === "-c");
  const first = positionals[0]?.word;
  const text = isText ? first : first === undefined || options.some(({ name }) => name === "-s") ? input : undefined;
  return text === undefined ? "unknown" : { shell: [text], sql: [], words: [], effects: [] };
}

function suCommand(args: readonly string[]): RunnerCommand | "unknown" {
  const { options } = readOptions(args, names("-c --command -s --shell -g -G"));
  const shell = options.filter(({ name }) => /^(?:-c|--command)$/.test(name)).map(({ value = "" }) => value);
  return shell.length === 0 ? "unknown" : { shell, sql: [], words: [], effects: [] };
}
