// Effect of a runbook's step: that of its command and of the commands in its sentence, else what its sentence orders. Pure functions.

import { commandEffect } from "./command-effect.ts";
import { type CommandEffect, worstEffect } from "./effect.ts";
import { ordersChange } from "./ordered-change.ts";
import { isKnownProgram, PROGRAM_FOLDER } from "./program-effect.ts";
import { ANY_ARGUMENTS, CHANGING_PROGRAMS } from "./programs.ts";
import { withoutPrompts } from "./prompts.ts";
import { startsAsSql } from "./sql-effect.ts";

/** `unverified`: not verified as read-only. */
export type StepEffect = "read_only" | "changes_state" | "unverified";

interface DeclaredStep {
  readonly text: string;
  readonly command: string | null;
  readonly effect?: "read_only" | "changes_state" | null;
}

/** A command in a code span that is not known to only read. */
export interface InlineCommand {
  readonly command: string;
  readonly effect: Exclude<CommandEffect, "read_only">;
}

/** Well-known programs that have no table of what they read: their commands are not verified. */
const UNVERIFIED_PROGRAMS: ReadonlySet<string> = new Set(
  `ansible ansible-playbook apk apt apt-get argocd aws az crictl ctr dnf etcdctl gcloud helm istioctl kubectx kustomize lvextend
   mongosh mount mysqladmin nomad npm npx patronictl pg_ctl pg_ctlcluster pg_dump pg_restore pip pulumi python3 resize2fs rsync scp ssh
   swapoff swapon terraform vault wrangler yum`.split(/\s+/),
);
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
/** An option after a program's name, as in `payctl route --to secondary`; not a message about an option. */
const UNKNOWN_PROGRAM_WITH_OPTION =
  /^(?!(?:an?|bad|cannot|error|failed|flag|illegal|invalid|missing|no|option|the|unknown|unrecognized|unsupported) )(?:\.{0,2}\/)?[a-z][\w./-]* (?:[^"'=]* )?--?[a-z]/;
const VERSION = /^\S+ --(?:version|help)$/;
/** Programs that act on an object: without one, `kill -9` or `docker stop` is the name of an operation. */
const ON_OBJECTS = new Set(["docker", "podman", "kubectl", "k", "oc", "systemctl"]);
const WITHOUT_OBJECT =
  /^(?:reboot|poweroff|shutdown|vacuumdb|reindexdb|daemon-reload|reset-failed|login|logout|prune)$/;
/** Text that leaves out a part, which nobody can run. */
const ELLIPSIS = /\.{3}|…/;
/** Words after which an operation's name is an instruction to run it: "Run `reboot`". Elsewhere it is only named. */
const INSTRUCTION = /(?:\b(?:run|runs|execute|issue|enter|type|with|using)|:)\s*$/i;
/** Lower-case SQL needs its second word: `update failed` and `create container error` are messages. */
const LOWER_CASE_SQL =
  /^(?:insert into|delete from|merge into|update [\w."]+ set|(?:alter|create|drop)\s(?:or replace |unique |materialized |temp(?:orary)? )*(?:table|index|database|schema|role|user|view|function|trigger|sequence|extension|publication|subscription|tablespace|event|system|server|type)|truncate table|(?:grant|revoke) [\w, ]+ (?:on|to|from)|vacuum (?:full|freeze|analyze|verbose|\()|reindex (?:index|table|database|schema|system|\()|refresh materialized|set (?:global|persist)|(?:start|stop) (?:replica|slave)|change (?:master|replication)|purge binary|flush (?:tables|logs|hosts|privileges|status)|optimize table|lock table|select [\w.]+ ?\(|select .+ from |explain (?:analyze|\()|with \w+ as ?\(|copy [\w.]+ (?:from|to))/i;
const UPPER_CASE_START = /^[A-Z]{2,}\b/;

/**
 * Effect of a step: that of its commands; without any, `changes_state` if its sentence orders a change. Null: there is nothing to
 * run, and nothing says that it changes anything.
 * @param step `effect`: as its author declares it, which counts more than its commands and its sentence
 */
export function stepEffect(step: DeclaredStep): StepEffect | null {
  const ofCommands = effectOfCommands(step);
  if (ofCommands !== null || step.effect === "read_only") return ofCommands;
  return ordersChange(step.text) ? "changes_state" : null;
}

/** Effect of the step's command and of the commands in its sentence, as its author declares it. Null: there is nothing to run. */
export function effectOfCommands({ text, command, effect = null }: DeclaredStep): StepEffect | null {
  if (effect === "changes_state") return effect;
  const effects: CommandEffect[] = inlineCommands(text).map((inline) => inline.effect);
  if (command !== null) effects.push(commandEffect(command));
  return effects.length === 0 ? null : (effect ?? worstEffect(effects) ?? "unverified");
}

/** The commands in the code spans of a sentence that change something or are not verified. Names and messages are none. */
export function inlineCommands(text: string): InlineCommand[] {
  return codeSpans(text).flatMap(({ code, before }) => {
    const command = withoutPrompts(code.trim());
    const effect = commandEffect(command);
    if (effect === "read_only" || !isCommand(command, effect, before)) return [];
    return [{ command, effect }];
  });
}

function isCommand(command: string, effect: InlineCommand["effect"], before: string): boolean {
  if (effect === null && ELLIPSIS.test(command)) return false;
  const words = command.split(/\s+/).filter((word) => !ASSIGNMENT.test(word));
  const program = (words[0] ?? "").replace(PROGRAM_FOLDER, "");
  if (words.length < 2 || isNameOfOperation(program, words))
    return effect === "changes_state" && INSTRUCTION.test(before);
  if (isProgram(program)) return true;
  if (startsAsSql(command)) return UPPER_CASE_START.test(command) || LOWER_CASE_SQL.test(command);
  return UNKNOWN_PROGRAM_WITH_OPTION.test(command) && !VERSION.test(command);
}

function isProgram(name: string): boolean {
  return isKnownProgram(name) || ANY_ARGUMENTS.has(name) || UNVERIFIED_PROGRAMS.has(name);
}

/** Whether a line of code begins with a prompt, a comment, SQL or a program that this folder knows. */
export function beginsCommand(line: string): boolean {
  const code = line.trim();
  const [program = ""] = code.split(/\s/, 1);
  return /^#\s/.test(code) || isProgram(program) || startsAsSql(code) || withoutPrompts(code) !== code;
}

function isNameOfOperation(program: string, words: readonly string[]): boolean {
  const [operation = program, ...objects] = words.slice(1).filter((word) => !word.startsWith("-"));
  if (WITHOUT_OBJECT.test(operation)) return false;
  if (ON_OBJECTS.has(program)) return objects.length === 0;
  return CHANGING_PROGRAMS.has(program) && operation === program;
}

/** Markdown code spans, each with the text that stands before it. A run of backticks ends at the next one of its length. */
function codeSpans(text: string): { readonly code: string; readonly before: string }[] {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ length, index }));
  const unclosed = new Set<number>();
  const spans: { readonly code: string; readonly before: string }[] = [];
  for (let at = 0; at < runs.length; at++) {
    const open = runs[at];
    if (!open || unclosed.has(open.length)) continue;
    let end = at + 1;
    while (end < runs.length && runs[end]?.length !== open.length) end += 1;
    const close = runs[end];
    if (!close) {
      unclosed.add(open.length);
      continue;
    }
    const code = text.slice(open.index + open.length, close.index);
    spans.push({ code, before: text.slice(Math.max(0, open.index - 40), open.index) });
    at = end;
  }
  return spans;
}
