// Commands as a terminal shows them: behind a prompt, with their output below. Pure functions, linear in the text.

import { isKnownProgram } from "./program-effect.ts";
import { ANY_ARGUMENTS } from "./programs.ts";

/** `$ `, `user@host:~$ `, `[root@host ~]# `, `postgres=# `, `mysql> `, `127.0.0.1:6379> `, `MariaDB [shop]> `, `PS C:\> `. */
const PROMPT =
  /^\s{0,8}(?:\$|%|(?:sudo -i )#|[\w.-]{1,60}@[^\s$#%]{1,100} ?[$#%]|\[[^\]\n]{1,80}\][$#%]|[\w.:()-]{1,60}[=-]?[=(-]?[#>]|\w{1,20} \[[^\]\n]{0,60}\]>|PS [^>\n]{1,100}>)[ \t]{1,4}(?=\S)/;
/** A comment of a shell, too; and a redirection. */
const DOUBTFUL_PROMPT = /^\s{0,8}[#>][ \t](?=\S)/;
/** Of psql and mysql, and of shells. */
const CONTINUATION = /^\s{0,8}(?:[\w.]{0,60}[-('"]?[#>]|>)[ \t]/;

/** The commands without prompts and output. A text without prompts is returned as it is. */
export function withoutPrompts(code: string): string {
  const lines = code.split("\n");
  const prompt = lines.some((line) => PROMPT.test(line)) ? PROMPT : DOUBTFUL_PROMPT;
  if (prompt === DOUBTFUL_PROMPT && !isPrompted(lines)) return code;
  const commands: string[] = [];
  let open = CLOSED;
  for (const line of lines) {
    const sign: string | undefined = (prompt.exec(line) ?? (isOpen(open) ? CONTINUATION.exec(line) : null))?.[0];
    if (sign === undefined && !isOpen(open) && !isBareCommand(line)) continue;
    const command = line.slice(sign?.length ?? 0);
    commands.push(command);
    open = after(open, command, sign !== undefined);
  }
  return commands.join("\n");
}

/** A line between prompts that is no output: it begins with a program that this folder knows. */
function isBareCommand(line: string): boolean {
  const [program = "", next = ""] = line.trim().split(/\s+/, 2);
  return isKnownProgram(program) && /^[\w./-]+$/.test(next);
}

/** What a shell waits for after a line. */
interface Open {
  readonly isUnfinished: boolean;
  /** The end of a here-document. */
  readonly delimiter: string | null;
  /** Loops and conditions without their end. */
  readonly depth: number;
}

const CLOSED: Open = { isUnfinished: false, delimiter: null, depth: 0 };
const OPERATOR_END = /(?:\\|\||&&)\s*$/;
const HERE_DOC = /<<-?\s?\\?["']?(\w{1,40})/;
const COMPOUND_START = /(?:^|[;&|])\s{0,40}(?:for|while|until|if|case)\b/g;
const COMPOUND_END = /(?:^|[;&|])\s{0,40}(?:done|fi|esac)\b/g;

function isOpen({ isUnfinished, delimiter, depth }: Open): boolean {
  return isUnfinished || delimiter !== null || depth > 0;
}

function after(open: Open, command: string, isPrompted: boolean): Open {
  if (open.delimiter !== null && command.trim() !== open.delimiter) return open;
  if (open.delimiter !== null) return { ...open, delimiter: null };
  const isUnfinished = OPERATOR_END.test(command) || (isPrompted && isSqlWithoutEnd(command));
  const delimiter = HERE_DOC.exec(command)?.[1] ?? null;
  const starts = command.match(COMPOUND_START)?.length ?? 0;
  const ends = command.match(COMPOUND_END)?.length ?? 0;
  return { isUnfinished, delimiter, depth: Math.max(0, open.depth + starts - ends) };
}

/** Whether each line stands behind a sign that need not be a prompt, and is a command. */
function isPrompted(lines: readonly string[]): boolean {
  const [first = ""] = lines.filter((line) => line.trim() !== "");
  if (/^\s*>/.test(first)) return DOUBTFUL_PROMPT.test(first);
  const isProgram = (line: string) => {
    const [program = ""] = line.trim().split(/\s/, 1);
    return isKnownProgram(program) || ANY_ARGUMENTS.has(program);
  };
  const bare = lines.filter((line) => line.trim() !== "" && !DOUBTFUL_PROMPT.test(line));
  return (
    DOUBTFUL_PROMPT.test(first) &&
    isProgram(first.replace(DOUBTFUL_PROMPT, "")) &&
    !bare.some((line) => isProgram(line))
  );
}

function isSqlWithoutEnd(command: string): boolean {
  return /^(?:select|with|show|explain)\b/i.test(command) && !/(?:;|\\[gG])\s*$/.test(command);
}
