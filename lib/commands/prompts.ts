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
  let isOpen = false;
  for (const line of lines) {
    const sign: string | undefined = (prompt.exec(line) ?? (isOpen ? CONTINUATION.exec(line) : null))?.[0];
    if (sign === undefined && !isOpen) continue;
    const command = line.slice(sign?.length ?? 0);
    commands.push(command);
    isOpen = command.trimEnd().endsWith("\\") || (sign !== undefined && isSqlWithoutEnd(command));
  }
  return commands.join("\n");
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
