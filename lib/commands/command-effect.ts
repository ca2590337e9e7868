// Effect of a shell or SQL command on the system: an allow-list over the syntax tree of the parser unbash. Pure functions.

import { type Command, forEachChild, parse, type Redirect, type SyntaxNode, type Word } from "unbash";
import { isLogql } from "../checks/logql/query-form.ts";
import { isPromql } from "../checks/promql/query-form.ts";
import { type Argument, UNKNOWN_ARGUMENT } from "./arguments.ts";
import { type CommandEffect, worstEffect } from "./effect.ts";
import { isKnownProgram, programEffect } from "./program-effect.ts";
import { sqlEffect, startsAsSql } from "./sql-effect.ts";

/** Characters; a longer command is not verified. Together with MAX_SUBSTITUTIONS it bounds the parser's time and stack. */
const MAX_LENGTH = 4_000;
const MAX_SUBSTITUTIONS = 16;
/** Commands within commands, as in `sudo sh -c "…"`. */
const MAX_DEPTH = 4;

/** An argument to be filled in, such as `<pod>`. A quote or a letter after it means a redirection: `sort <in>out`. With blanks, slashes and bars only at the end of a line, where a shell redirects to nothing. */
const PLACEHOLDER = /<[A-Za-z][\w-]*>(?![\w'"$`~(])|<[A-Za-z][\w/.|-]{0,40}(?: [\w/.|-]{1,40}){0,6}>(?= *$)/gm;
/** What may be an argument to be filled in as well as two redirections: `<host:port>/health`, `<pod name> -n shop`. */
const LIKELY_PLACEHOLDER = /<[A-Za-z][^<>"'`$&;()\n]{0,60}(?<!\s)>(?![\w'"$`~(])/g;
/** Text that a terminal reads otherwise than a parser: control and format characters, and history (`!rm`). */
const AMBIGUOUS = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|![\w!?-]/u;
/** An interactive zsh has no comments and runs what stands behind an operator in one. */
const COMMENT_WITH_OPERATOR = /(?:^|\s)#[^\n]*[;&|<>`$(){}]/m;
const QUOTED = /\\.|\$'(?:[^'\\]|\\.)*'|'[^']*'|"(?:[^"\\]|\\.)*"/gs;
const SUBSTITUTION = /[$<>]\(|\$\{|`/g;

/** Programs that run a text as code. */
const INTERPRETER =
  /^(?:\/\S*\/)?(?:(?:ba|z|da|k|a|fi|c|tc)?sh|python[\d.]*|perl|ruby|node|deno|bun|php|lua|osascript|pwsh|powershell|iex|invoke-expression|source|\.|eval)$/i;
/** Programs that run another one, before it. */
const BEFORE_INTERPRETER = /^(?:sudo|doas|env|xargs|nohup|exec|time|nice|command|busybox|-\S*|[A-Za-z_]\w*=.*)$/;
/** PowerShell, which no parser of a shell reads: a text from elsewhere that runs as code. */
const POWERSHELL_CODE =
  /(?:^|[|;&({])\s{0,20}(?:iex|invoke-expression)\b|\b(?:powershell|pwsh)(?:\.exe)?\b.{0,80}\s-e(?:nc|c|ncodedcommand)?\s/im;
/** Programs whose output another host decides. */
const NETWORK_CLIENT =
  /^(?:\/\S*\/)?(?:curl|wget|aria2c|fetch|http|https|xh|nc|ncat|netcat|socat|telnet|ssh|ftp|tftp|lynx|links|w3m|iwr|irm)$/i;
/** Programs that send their arguments to another host. */
const SENDS_ARGUMENTS = new Set("dig nslookup host ping getent nc ncat telnet openssl traceroute".split(" "));
/** Assignments that select no program and no option: names of users' own, those of objects, and those of locale, time zone and server. */
const HARMLESS_VARIABLE =
  /^(?:[a-z_][a-z\d_]*|[A-Z]|LANG|LC_[A-Z]+|TZ|KUBECONFIG|PG(?:HOST|PORT|USER|DATABASE)|(?:[A-Z][A-Z\d]*_)*(?:BUCKET|CLUSTER|CONTAINER|DEPLOYMENT|HOST|INSTANCE|IP|JOB|NAME|NAMESPACE|NODE|NS|POD|PORT|PROJECT|PVC?|REGION|SECRET|SERVICE|SVC|TOPIC)S?)$/;
const SERVER = /^(?:DOCKER|CONTAINER)_HOST=/;
/** Builtins that set variables. */
const DECLARATION = /^(?:export|readonly|local|declare|typeset)$/;
const COMPARISON = /[<>]=? {0,8}(?=[\d.])/g;
const HARMLESS_TARGET = /^\/dev\/(?:null|stdout|stderr)$/;

/** Nodes that do nothing by themselves: their parts decide. Any other node is not verified. */
const TRANSPARENT = new Set<SyntaxNode["type"]>([
  ...(["Script", "Statement", "CompoundList", "AndOr", "Pipeline", "Time", "Negation", "Redirected"] as const),
  ...(["Subshell", "BraceGroup", "If", "Elif", "For", "While"] as const),
  ...(["Word", "Literal", "Glob", "SingleQuoted", "DoubleQuoted", "AnsiCQuoted", "SimpleExpansion"] as const),
  ...(["CommandExpansion", "HereString", "HereDocDelimiter", "HereDocBody", "FileDescriptor"] as const),
]);

/**
 * "read_only" only where each part of the command is on the allow-list, or where the text is a query that no shell runs. "changes_state" where a part is known to change
 * something or to write a file. `null` for anything else: an unknown program, an unknown option, a redirection that may be a
 * placeholder, text that does not parse.
 */
export function commandEffect(command: string): CommandEffect {
  if (command.length > MAX_LENGTH) return null;
  const text = command.replaceAll("\r\n", "\n").trim().replace(PLACEHOLDER, "placeholder");
  const effect = textEffect(text);
  if (effect !== "changes_state") return effect;
  const filled = text.replace(LIKELY_PLACEHOLDER, "placeholder");
  return filled === text || textEffect(filled) === effect ? effect : null;
}

function textEffect(text: string): CommandEffect {
  if (AMBIGUOUS.test(text) || COMMENT_WITH_OPERATOR.test(text.replace(QUOTED, "''"))) return null;
  if (POWERSHELL_CODE.test(text)) return "changes_state";
  if (!startsAsSql(text)) {
    const isQuery = /[{(]/.test(text) && !isAlsoShell(text) && (isPromql(text) || isLogql(text));
    // In `errors{job="web"} > 5` stands a comparison, in `errors{job="web"} > file` perhaps a redirection.
    const effect = shellEffect(isQuery ? text.replace(COMPARISON, "-eq ") : text, 0, false);
    return isQuery && effect === null ? "read_only" : effect;
  }
  return isAlsoShell(text) ? null : sqlEffect(text);
}

/** Whether a shell would run parts of a query, had somebody pasted it there. */
function isAlsoShell(query: string): boolean {
  if (/[$<>]\(|`/.test(query)) return true;
  const firstWords = query.split(/[|&;\n]+/).map((part) => /^\s*(\S*)/.exec(part)?.[1] ?? "");
  return firstWords.some(isKnownProgram);
}

/** @param isWithinAssignments whether a text around this one sets variables */
function shellEffect(text: string, depth: number, isWithinAssignments: boolean): CommandEffect {
  if (depth > MAX_DEPTH || (text.match(SUBSTITUTION) ?? []).length > MAX_SUBSTITUTIONS) return null;
  const script = parse(text);
  const hasAssignments = isWithinAssignments || containsAssignment(script);

  function effectOf(node: SyntaxNode): CommandEffect {
    const children: CommandEffect[] = [];
    forEachChild(node, (child) => void children.push(effectOf(child)));
    return worstEffect([ownEffect(node), ...children]);
  }
  function ownEffect(node: SyntaxNode): CommandEffect {
    if ("errors" in node && node.errors && node.errors.length > 0) return null;
    if (runsForeignCode(node) || substitutesForeignText(node)) return "changes_state";
    if (TRANSPARENT.has(node.type)) return "read_only";
    switch (node.type) {
      case "Command":
        return simpleCommandEffect(node);
      case "Redirect":
        return redirectEffect(node);
      case "Assignment":
        return HARMLESS_VARIABLE.test(node.name) && node.index === undefined ? "read_only" : null;
      case "ParameterExpansion":
        return node.operation === undefined && node.prefix === undefined && node.index === undefined
          ? "read_only"
          : null;
      case "ProcessSubstitution":
        return node.operator === "<" ? "read_only" : null;
      case "HereDoc":
        return node.closing === undefined ? null : "read_only";
      default:
        return null;
    }
  }
  function simpleCommandEffect({ name, args }: Command): CommandEffect {
    // Assignments alone.
    if (name === undefined) return "read_only";
    // Each assignment decides for itself. An exported server is that of all later commands.
    if (DECLARATION.test(name.value))
      return args.every(({ text }) => HARMLESS_VARIABLE.test(/^[^=]*/.exec(text)?.[0] ?? "") && !SERVER.test(text))
        ? "read_only"
        : null;
    const words = [name, ...args].map((word) =>
      word.type === "Word" ? readArgument(word, hasAssignments) : UNKNOWN_ARGUMENT,
    );
    if (sendsOutput(name, args)) return null;
    return programEffect(words, (inner) => shellEffect(inner, depth + 1, hasAssignments));
  }

  // An empty script reads nothing.
  return script.commands.length === 0 ? null : effectOf(script);
}

/** Whether a program runs what another one prints: `curl … | sh`, `bash <(curl …)`, `eval "$(…)"`. */
function runsForeignCode(node: SyntaxNode): boolean {
  if (node.type === "Pipeline")
    return node.commands.slice(1).some((each) => each.type === "Command" && runsItsInput(each));
  if (node.type !== "Command") return false;
  const at = interpreterAt(node);
  if (at === -1) return false;
  const words = wordsOf(node);
  if (/^eval$/i.test(words[at]?.value ?? "")) return true;
  const hasInput = node.redirects.some(({ type }) => type === "HereString" || type === "HereDoc");
  return hasInput || words.slice(at + 1).some(isSubstituted);
}

/** Whether the output of a network client or of a shell becomes words of a command: `ls $(curl …)`. */
function substitutesForeignText(node: SyntaxNode): boolean {
  return node.type === "CommandExpansion" && containsForeignProgram(node);
}

function containsForeignProgram(node: SyntaxNode): boolean {
  if (node.type === "Command") {
    const name = wordsOf(node).find(({ value }) => !BEFORE_INTERPRETER.test(value))?.value ?? "";
    if (NETWORK_CLIENT.test(name) || INTERPRETER.test(name)) return true;
  }
  let isFound = false;
  forEachChild(node, (child) => {
    isFound ||= containsForeignProgram(child);
  });
  return isFound;
}

/** `| sh` runs its input; `| python3 -m json.tool` reads it. */
function runsItsInput(command: Command): boolean {
  const at = interpreterAt(command);
  if (at === -1) return false;
  const words = wordsOf(command).map(({ value }) => value);
  // Options are no script; after -c, -e and -m stands code or a module.
  const [script = "-"] = words.slice(at + 1).filter((word) => !/^-[a-bdf-ln-z]+$|^--\w/.test(word));
  return words.includes("xargs") || /^(?:-|--|\/dev\/stdin)$/.test(script) || words.slice(at + 1).includes("-s");
}

/** The place of an interpreter among the words of a command; -1 without one. */
function interpreterAt(command: Command): number {
  const words = wordsOf(command);
  const at = words.findIndex(({ value }) => !BEFORE_INTERPRETER.test(value));
  return INTERPRETER.test(words[at]?.value ?? "") ? at : -1;
}

function wordsOf({ name, args }: Command): Word[] {
  return [...(name ? [name] : []), ...args].filter((word) => word.type === "Word");
}

/** Whether what another command prints becomes part of a word. */
function isSubstituted({ parts = [] }: Word): boolean {
  return parts.some((part) =>
    (part.type === "DoubleQuoted" ? part.parts : [part]).some(
      ({ type }) => type === "CommandExpansion" || type === "ProcessSubstitution",
    ),
  );
}

/** Whether the output of another command goes to another host, as in `dig $(whoami).example.net`. */
function sendsOutput(name: Word, args: Command["args"]): boolean {
  // Only the address counts: a header may hold a token that is read from a file.
  const isAddress = SENDS_ARGUMENTS.has(name.value) ? /./ : /^(?:curl|wget)$/.test(name.value) ? /:\/\// : null;
  return args.some((word) => word.type === "Word" && isAddress?.test(word.text) && isSubstituted(word));
}

function redirectEffect({ operator, target, descriptor }: Redirect): CommandEffect {
  if (operator === "<" || operator === "<&") return "read_only";
  const text = target?.parts === undefined ? (target?.value ?? "") : "";
  if (HARMLESS_TARGET.test(text) || (operator === ">&" && /^\d$/.test(text))) return "read_only";
  // `<pod|job> -n shop` is more likely a placeholder than a file named "-n".
  return descriptor?.type === "FileDescriptorVariable" || text.startsWith("-") ? null : "changes_state";
}

function containsAssignment(node: SyntaxNode): boolean {
  if (node.type === "Assignment" || node.type === "For") return true;
  let isFound = false;
  forEachChild(node, (child) => {
    isFound ||= containsAssignment(child);
  });
  return isFound;
}

/** @param hasAssignments whether the script sets variables: then any expansion may hold options */
function readArgument(word: Word, hasAssignments: boolean): Argument {
  if (word.parts === undefined) return { text: word.value, isStatic: true, isOpen: false, canSplit: false };
  let text = "";
  let [isStatic, isOpen, canSplit] = [true, false, false];
  for (const part of word.parts) {
    for (const piece of part.type === "DoubleQuoted" ? part.parts : [part]) {
      if (piece.type === "Literal" || piece.type === "SingleQuoted" || piece.type === "AnsiCQuoted") {
        text += piece.value;
        continue;
      }
      const isVariable = piece.type === "SimpleExpansion" || piece.type === "ParameterExpansion";
      const isUnknown = piece.type === "Glob" ? text === "" : !isVariable || hasAssignments;
      isStatic = false;
      canSplit ||= isUnknown && part === piece;
      isOpen ||= canSplit || (isUnknown && text === "");
      text += "$";
    }
  }
  return { text, isStatic, isOpen, canSplit };
}
