// Effect of one program with its arguments, looked up in the tables of known programs. Pure functions.

import { type Argument, readArguments, UNKNOWN_ARGUMENT } from "./arguments.ts";
import { type CommandEffect, worstEffect } from "./effect.ts";
import { ANY_ARGUMENTS, CHANGING_PROGRAMS, PROGRAMS, type ProgramRule, RUNNERS, type Runner } from "./programs.ts";
import { sqlEffect } from "./sql-effect.ts";

type RunShell = (text: string) => CommandEffect;

export const PROGRAM_FOLDER = /^\/(?:usr\/)?(?:local\/)?s?bin\/(?=[^/]+$)/;

/** One print, deletion or substitution, without the flags `e` (runs a command) and `w` (writes a file). */
const SED_SCRIPT =
  /^(?:(?:\d+|\$)(?:,(?:\d+|\$))?[pdq]|\/[^/\\\n]*\/[pd]|s([/|#,])(?:(?!\1)[^\\\n])*\1(?:(?!\1)[^\\\n])*\1[gp\d]*)$/;
/** Without `>`, `|`, `@` and `system`, an awk program writes no file and runs no command. */
const AWK_PROGRAM = /^(?!.*system)[^>|@]*$/s;

export function isKnownProgram(name: string): boolean {
  return CHANGING_PROGRAMS.has(name) || PROGRAMS.has(name) || RUNNERS.has(name);
}

/**
 * Several rules for one program are alternatives: if one verifies the arguments as read-only, the program is read-only.
 * @param words the program and its arguments
 * @param runShell returns the effect of a text that a shell runs
 */
export function programEffect(words: readonly Argument[], runShell: RunShell): CommandEffect {
  const [first, ...args] = words;
  if (!first?.isStatic) return null;
  const program = first.text.replace(PROGRAM_FOLDER, "");
  if (ANY_ARGUMENTS.has(program)) return "read_only";
  const runner = RUNNERS.get(program);
  if (runner) return runnerEffect(runner, args, runShell);
  if (program === "command") return /^-[vV]$/.test(args[0]?.text ?? "") ? "read_only" : null;
  if (program === "find") return findEffect(args, runShell);
  const effects = (PROGRAMS.get(program) ?? []).map((rule) => ruleEffect(program, rule, args, runShell));
  if (effects.includes("read_only")) return "read_only";
  return effects.includes("changes_state") || CHANGING_PROGRAMS.has(program) ? "changes_state" : null;
}

function ruleEffect(program: string, rule: ProgramRule, args: readonly Argument[], runShell: RunShell): CommandEffect {
  // The program has no subcommands.
  if (rule.reads.size === 0) return argumentsEffect(rule, args, runShell);
  const start = readArguments(args, rule.options, { ...rule, stopsAtPositional: true });
  const [subcommand, ...rest] = start.positionals;
  const runner = RUNNERS.get(`${program} ${subcommand?.text}`);
  if (runner) return verifiedIf(start.isVerified, runnerEffect(runner, rest, runShell));
  // Before the subcommand, docker and kubectl take the word after a subcommand's flag for the flag's value. In
  // `kubectl -f get delete pod x`, the subcommand is `delete`.
  if (!rule.flagsFirst && start.options.some(({ value }) => value === undefined)) return null;
  const { positionals } = readArguments(args, rule.options, rule);
  const [first = "", second = ""] = positionals.map(({ text }) => (rule.ignoresCase ? text.toLowerCase() : text));
  const subcommands = [`${first} ${second}`, first];
  if (first === "" ? rule.listsAlone : subcommands.some((name) => rule.reads.has(name)))
    return argumentsEffect(rule, args, runShell);
  return subcommands.some((name) => rule.changes.has(name)) ? "changes_state" : null;
}

function argumentsEffect(rule: ProgramRule, args: readonly Argument[], runShell: RunShell): CommandEffect {
  const { required, language } = rule;
  const { options, positionals, isVerified } = readArguments(args, rule.options, rule);
  if (options.some(({ name, value }) => rule.changingOption?.test(`${name}=${value?.text}`))) return "changes_state";
  const isAllowed =
    isVerified &&
    (required.size === 0 || options.some(({ name }) => required.has(name))) &&
    (rule.arguments?.test(positionals.map(({ text }) => text).join(" ")) ?? true) &&
    options.every(({ name, value }) => {
      const pattern = rule.values?.[name];
      return pattern === undefined || (value?.isStatic && pattern.test(value.text));
    });
  if (!language) return isAllowed ? "read_only" : null;
  const values = options.flatMap(({ name, value }) => (value && /^(?:-c|--command|-e)$/.test(name) ? [value] : []));
  const isScriptPositional = values.length === 0 && (language === "sed" || language === "awk");
  const scripts = isScriptPositional ? positionals.slice(0, 1) : values;
  // The shell passes them to its script as `$0`, `$1` and so on, which `runShell` does not see.
  const hasShellArguments = language === "shell" && positionals.length > 0;
  const effectOf = { sql: sqlEffect, shell: runShell, sed: sedEffect, awk: awkEffect }[language];
  const scriptEffects = scripts.map(({ text, isStatic }) => (isStatic ? effectOf(text) : null));
  return verifiedIf(isAllowed && !hasShellArguments, worstEffect(scriptEffects));
}

function sedEffect(script: string): CommandEffect {
  return SED_SCRIPT.test(script) ? "read_only" : null;
}

function awkEffect(script: string): CommandEffect {
  return AWK_PROGRAM.test(script) ? "read_only" : null;
}

/** Effect of a program that runs another one, such as `sudo`: the effect of the inner command. */
function runnerEffect(runner: Runner, args: readonly Argument[], runShell: RunShell): CommandEffect {
  const separator = args.findIndex(({ text }) => text === "--");
  if (runner.dashes && separator === -1) return null;
  const runnerArgs = runner.dashes ? args.slice(0, separator) : args;
  const { positionals, isVerified } = readArguments(runnerArgs, runner.options, { stopsAtPositional: !runner.dashes });
  const skipped = positionals.slice(0, runner.skipped ?? 0);
  const inner = runner.dashes ? args.slice(separator + 1) : positionals.slice(skipped.length);
  const words = runner.appends ? [...inner, UNKNOWN_ARGUMENT] : inner;
  return verifiedIf(isVerified && skipped.every(({ isOpen }) => !isOpen), programEffect(words, runShell));
}

/** Combines `-delete`, the commands of `-exec` and the other arguments. */
function findEffect(args: readonly Argument[], runShell: RunShell): CommandEffect {
  const effects: CommandEffect[] = [];
  const rest: Argument[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (!word) continue;
    if (word.text === "-delete") effects.push("changes_state");
    else if (/^-(?:exec|execdir|ok)$/.test(word.text)) {
      const length = args.slice(at + 1).findIndex(({ text }) => text === ";" || text === "+");
      effects.push(length === -1 ? null : programEffect(args.slice(at + 1, at + 1 + length), runShell));
      at += length + 1;
    } else if (!/^[()!]$/.test(word.text)) rest.push(word);
  }
  const otherEffects = (PROGRAMS.get("find") ?? []).map((rule) => argumentsEffect(rule, rest, runShell));
  return worstEffect([...otherEffects, ...effects]);
}

/** Replaces an unverified `read_only` with `null`. `changes_state` needs no verification. */
function verifiedIf(isVerified: boolean, effect: CommandEffect): CommandEffect {
  return effect === "read_only" && !isVerified ? null : effect;
}
