// Owns how a shell text is taken apart: simple commands as plain words, what they redirect, what they substitute.
// Linear in the text. It reads what people paste into a terminal, not the whole grammar of a shell.

export interface ShellPart {
  /** Without quotes and escapes; `$()` stands for a substitution. */
  readonly words: string[];
  /** Sends output to a file other than the likes of /dev/null. */
  writesFile: boolean;
  /** The text of a here-document or here-string. */
  input: string | undefined;
}

export interface ShellText {
  readonly parts: readonly ShellPart[];
  /** The texts in `$(…)`, backticks and `<(…)`; shell texts themselves. */
  readonly substitutions: readonly string[];
}

const BLANK = /[ \t]*/y;
const REDIRECTION = /&>>?|<<<|<<-?|>>|>\||[<>]&|<>|[<>]/y;
// An argument to be filled in, `<pod>`, is no redirection. What goes on in a letter may be one: `sort <in>out`.
const PLACEHOLDER = /<\w(?:[\w .,:/@=|*-]{0,80}[\w.*-])?>(?![A-Za-z0-9~$])/y;
const HARMLESS_TARGET = /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/;
const WORD_END = new Set([" ", "\t", "\n", ";", "|", "&", "(", ")", "<", ">"]);

export function parseShell(source: string): ShellText {
  const text = source.replaceAll("\r\n", "\n");
  const parts: ShellPart[] = [];
  const substitutions: string[] = [];
  let part: ShellPart = { words: [], writesFile: false, input: undefined };
  let documents: { owner: ShellPart; end: string }[] = [];
  const close = () => {
    if (part.words.length > 0 || part.writesFile) parts.push(part);
    part = { words: [], writesFile: false, input: undefined };
  };

  let at = 0;
  while (at < text.length) {
    const character = text[at] ?? "";
    const isArgument = matchAt(PLACEHOLDER, text, at) !== undefined || /^[<>]\($/.test(text.slice(at, at + 2));
    const operator = isArgument ? undefined : matchAt(REDIRECTION, text, at);
    if (character === " " || character === "\t") at += 1;
    else if (character === "\n") {
      close();
      at += 1;
      for (const { owner, end } of documents) {
        const body = readDocument(text, at, end);
        owner.input = body.text;
        readQuoted(body.text, 0, undefined, substitutions);
        at = body.end;
      }
      documents = [];
    } else if (character === "#") at = indexOrEnd(text, "\n", at);
    else if (operator !== undefined) {
      const start = at + operator.length;
      const target = readWord(text, start + (matchAt(BLANK, text, start)?.length ?? 0), substitutions);
      at = target.end;
      if (operator.startsWith("<<") && operator !== "<<<") documents.push({ owner: part, end: target.value });
      else if (operator === "<<<") part.input = target.value;
      else if (operator.includes(">") && !isHarmlessTarget(operator, target.value)) part.writesFile = true;
    } else if (!isArgument && WORD_END.has(character)) {
      close();
      at += 1;
    } else {
      const { value, end } = readWord(text, at, substitutions);
      // The number right before a redirection names what is redirected: `2>&1`.
      const isDescriptor = (text[end] === "<" || text[end] === ">") && /^\d+$/.test(value);
      if (!isDescriptor && (value !== "" || text.slice(at, end) !== "\\\n")) part.words.push(value);
      at = end;
    }
  }
  close();
  return { parts, substitutions };
}

function isHarmlessTarget(operator: string, target: string): boolean {
  return HARMLESS_TARGET.test(target) || (operator === ">&" && /^(?:\d+-?|-)$/.test(target));
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function indexOrEnd(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from);
  return found === -1 ? text.length : found;
}

/** The lines up to the one that is the end mark, which may be indented. */
function readDocument(text: string, start: number, mark: string): { text: string; end: number } {
  for (let at = start; at < text.length; ) {
    const lineEnd = indexOrEnd(text, "\n", at);
    if (text.slice(at, lineEnd).trim() === mark) return { text: text.slice(start, at), end: lineEnd };
    at = lineEnd + 1;
  }
  return { text: text.slice(start), end: text.length };
}

/** The word that starts here, and where it ends. What it substitutes is added to `substitutions`. */
function readWord(text: string, start: number, substitutions: string[]): { value: string; end: number } {
  let value = "";
  let at = start;
  while (at < text.length) {
    const character = text[at] ?? "";
    const placeholder = character === "<" ? matchAt(PLACEHOLDER, text, at) : undefined;
    if (character === "\\") {
      value += text[at + 1] === "\n" ? "" : (text[at + 1] ?? "");
      at += 2;
    } else if (character === "'") {
      const end = indexOrEnd(text, "'", at + 1);
      value += text.slice(at + 1, end);
      at = end + 1;
    } else if (character === '"') {
      const quoted = readQuoted(text, at + 1, '"', substitutions);
      value += quoted.value;
      at = quoted.end;
    } else if (character === "`" || /^[$<>]\($/.test(text.slice(at, at + 2))) {
      at = readSubstitution(text, at, substitutions);
      value += "$()";
    } else if (placeholder !== undefined) {
      value += placeholder;
      at += placeholder.length;
    } else if (WORD_END.has(character)) break;
    else {
      value += character;
      at += 1;
    }
  }
  return { value, end: Math.min(at, text.length) };
}

/** What stands up to the closing character, or to the end, where only substitutions and escapes mean something. */
function readQuoted(text: string, start: number, closing: string | undefined, substitutions: string[]) {
  let value = "";
  let at = start;
  while (at < text.length && text[at] !== closing) {
    const character = text[at] ?? "";
    const next = text[at + 1] ?? "";
    if (character === "\\" && '"$`\\\n'.includes(next)) {
      value += next === "\n" ? "" : next;
      at += 2;
    } else if (character === "`" || (character === "$" && next === "(")) {
      at = readSubstitution(text, at, substitutions);
      value += "$()";
    } else {
      value += character;
      at += 1;
    }
  }
  return { value, end: at + 1 };
}

/** Adds the substitution that starts here and gives where it ends. */
function readSubstitution(text: string, start: number, substitutions: string[]): number {
  if (text[start] === "`") {
    let end = start + 1;
    while (end < text.length && text[end] !== "`") end += text[end] === "\\" ? 2 : 1;
    substitutions.push(text.slice(start + 1, end).replaceAll("\\`", "`"));
    return end + 1;
  }
  const end = closingParenthesis(text, start + 2);
  const inner = text.slice(start + 2, end);
  const isArithmetic = inner.startsWith("(") && closingParenthesis(inner, 1) === inner.length - 1;
  // Arithmetic runs only what is substituted within it.
  if (!isArithmetic || /\$\(|`/.test(inner)) substitutions.push(inner);
  return end + 1;
}

/** Where the parenthesis opened before `start` closes; the end of the text where it does not. */
function closingParenthesis(text: string, start: number): number {
  const open = ["("];
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    const isQuoted = open.at(-1) === '"';
    if (character === "\\") at += 1;
    else if (character === '"') {
      if (isQuoted) open.pop();
      else open.push('"');
    } else if (character === "'" && !isQuoted) at = indexOrEnd(text, "'", at + 1);
    else if (character === "(" && (!isQuoted || text[at - 1] === "$")) open.push("(");
    else if (character === ")" && !isQuoted) {
      open.pop();
      if (open.length === 0) return at;
    }
  }
  return text.length;
}
