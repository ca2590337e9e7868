// Owns what a shell or SQL command does to the system, as far as its text tells. Pure, linear in the text; it would rather
// call a reading command a change, or say nothing, than call a change reading.

import { readOptions } from "./command-options.ts";
import { runnerCommand } from "./command-runners.ts";
import { type CommandEffect, worstEffect } from "./effect.ts";
import { CHANGING_PROGRAMS, PROGRAM_RULES, type ProgramRule, READING_PROGRAMS } from "./reading-commands.ts";
import { SUBCOMMAND_RULES } from "./reading-subcommands.ts";
import { parseShell, type ShellPart } from "./shell-parts.ts";
import { SPECIAL_PROGRAMS } from "./special-programs.ts";
import { sqlEffect } from "./sql-effect.ts";
import type { SubcommandRules } from "./subcommand-rules.ts";

/** Commands within commands that are followed; deeper ones are unknown. */
const MAX_DEPTH = 8;
const SQL_START =
  /^(?:--[^\n]*\n\s*|\/\*[^*]*\*\/\s*)*(?:(?:select|with|insert|update|delete|alter|create|drop|grant|revoke|vacuum|analy[sz]e|reindex|cluster|explain|show|reset|begin|start transaction|commit|rollback|savepoint|copy|refresh|lock|checkpoint|comment on|notify|merge|reassign|values|table|prepare|security label)\b(?![-/.=])|set\s+[a-z]|truncate\s+[^-\s]|\\(?:d[tivmsnfpux]?|dconfig|l|conninfo|x|timing)\+?(?:\s|$))/i;
/** Words of the shell's own before a command. */
const KEYWORDS = new Set(["if", "then", "elif", "else", "while", "until", "do", "!", "{", "time", "$"]);
const CLOSING_KEYWORDS = new Set(["fi", "done", "}", "esac"]);
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

/**
 * "changes_state" as soon as any part of the command changes something, be it a file that output is sent to;
 * "read_only" where every part is known to read; undefined where that cannot be told, as for an unknown program.
 */
export function commandEffect(command: string): CommandEffect | undefined {
  const text = command.trim();
  return SQL_START.test(text) ? sqlEffect(text) : shellEffect(text, 0);
}

function shellEffect(text: string, depth: number): CommandEffect | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const { parts, substitutions } = parseShell(text);
  return worstEffect([
    ...parts.map((part) => partEffect(part, depth)),
    ...substitutions.map((inner) => (inner.trim() === "" ? "read_only" : shellEffect(inner, depth + 1))),
  ]);
}

function partEffect({ words, writesFile, input }: ShellPart, depth: number): CommandEffect | undefined {
  return writesFile ? "changes_state" : wordsEffect(words, input, depth);
}

function wordsEffect(words: readonly string[], input: string | undefined, depth: number): CommandEffect | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const start = words.findIndex((word) => !KEYWORDS.has(word) && !ASSIGNMENT.test(word));
  const first = words[start];
  // Keywords and assignments alone do nothing outside of the shell.
  if (first === undefined || CLOSING_KEYWORDS.has(first) || first === "for") return "read_only";
  const program = programName(first);
  const args = words.slice(start + 1);
  const run = runnerCommand(program, args, input);
  if (run === "unknown") return undefined;
  if (run === "nothing") return "read_only";
  if (run) {
    return worstEffect([
      ...run.shell.map((text) => shellEffect(text, depth + 1)),
      ...run.sql.map(sqlEffect),
      ...run.words.map((inner) => wordsEffect(inner, input, depth + 1)),
      ...run.effects,
    ]);
  }
  const subcommands = SUBCOMMAND_RULES.get(program);
  if (subcommands) return subcommandEffect(subcommands, args, input, depth);
  const rule = PROGRAM_RULES.get(program);
  if (rule) return ruleEffect(rule, args);
  if (READING_PROGRAMS.has(program)) return "read_only";
  if (CHANGING_PROGRAMS.has(program) || program.startsWith("mkfs."))
    return isHelp(args) ? "read_only" : "changes_state";
  return SPECIAL_PROGRAMS.get(program)?.(args, (inner) => wordsEffect(inner, undefined, depth + 1));
}

/** Of a path its last part, if it lies where a system's programs do; else a file of any content. */
function programName(word: string): string {
  const path = word.split("/");
  return path.length === 1 || /^s?bin$/.test(path.at(-2) ?? "") ? (path.at(-1) ?? "") : word;
}

function isHelp(args: readonly string[]): boolean {
  return args.length === 1 && /^--(?:help|version)$/.test(args[0] ?? "");
}

function ruleEffect(rule: ProgramRule, args: readonly string[]): CommandEffect | undefined {
  const { options, positionals } = readOptions(args, rule.valued ?? new Set());
  const has = (pattern: RegExp | undefined) => options.some(({ name }) => pattern?.test(name));
  if (isHelp(args)) return "read_only";
  if (args.length === 0 && rule.bare) return rule.bare;
  if (has(rule.changes)) return "changes_state";
  if (has(rule.reads)) return "read_only";
  const changes =
    positionals.length > (rule.maxArguments ?? Number.POSITIVE_INFINITY) ||
    positionals.some(({ word }) => rule.changingArgument?.test(word));
  return changes ? "changes_state" : rule.otherwise;
}

function subcommandEffect(
  rules: SubcommandRules,
  args: readonly string[],
  input: string | undefined,
  depth: number,
): CommandEffect | undefined {
  const { options, positionals } = readOptions(args, rules.valued);
  if (isHelp(args)) return "read_only";
  if (positionals.length === 0) return rules.bare;
  for (let length = Math.min(3, positionals.length); length > 0; length--) {
    const path = positionals
      .slice(0, length)
      .map(({ word }) => word)
      .join(" ");
    const skipped = rules.runs.get(path);
    if (skipped !== undefined) {
      const from = (positionals[length - 1]?.index ?? 0) + 1;
      const inner = innerCommand(rules, args.slice(from), skipped);
      return inner.length === 0 ? undefined : wordsEffect(inner, input, depth + 1);
    }
    const effect = rules.effects.get(path);
    if (effect === undefined) continue;
    const has = (patterns: ReadonlyMap<string, RegExp>) =>
      [patterns.get(path), patterns.get("")].some((pattern) =>
        options.some(({ name, value }) => pattern?.test(value === undefined ? name : `${name}=${value}`)),
      );
    if (has(rules.changes)) return "changes_state";
    return has(rules.reads) ? "read_only" : effect;
  }
  return undefined;
}

/** What `exec` runs: behind `--` if there is one right after its own arguments, else behind those. */
function innerCommand(rules: SubcommandRules, args: readonly string[], skipped: number): string[] {
  const dashes = args.indexOf("--");
  const { positionals } = readOptions(args, rules.valued);
  const first = positionals[skipped]?.index ?? args.length;
  return args.slice(dashes !== -1 && dashes < first ? dashes + 1 : first);
}
