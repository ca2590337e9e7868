// The message of a log line, without the time, host, level, thread and logger in front of it. Pure functions; each pattern
// is anchored and bounded, so a line costs linear time.

/** Characters of a line that are read. */
const MAX_READ_LENGTH = 1_000;
/** Each step removes one part of the prefix. */
const MAX_STEPS = 12;
/** Shorter rests are no message. */
const MIN_MESSAGE_LENGTH = 6;

const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const CLOCK = "\\d{1,2}:\\d{2}:\\d{2}(?:[.,]\\d{1,9})?";
const ZONE = "(?: ?(?:Z|UTC|GMT|[A-Z]{3,4}(?=[\\s\\]])|[+-]\\d{2}:?\\d{2}))?";
const END = "[\\])]?(?:(?<=\\])(?=\\[)|[:,]?(?:\\s+|$))";

/** A time at the start of a line, as logs write it. */
const TIMES: readonly RegExp[] = [
  new RegExp(
    `^[[(<]?\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}(?:[T ,]{1,2}\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?)?${ZONE}${END}`,
  ),
  new RegExp(`^[[(<]?${CLOCK}${ZONE}${END}`),
  new RegExp(`^[[(]?\\d{2}[/.]\\d{2}[/.](?:20)?\\d{2},? ${CLOCK}${END}`),
  new RegExp(`^[*.]?${MONTH} {1,2}\\d{1,2} (?:\\d{4} )?${CLOCK}${ZONE}:\\s+`),
  /^[VDIWEF]\/[\w.$-]{1,80} ?\( {0,6}\d{1,7}\): /,
  new RegExp(`^\\[?(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? ${MONTH} {1,2}\\d{1,2} ${CLOCK}(?: \\d{4})?${END}`),
  new RegExp(`^\\[?\\d{1,2}[-/ ]${MONTH}[-/ ]\\d{4}[: ]${CLOCK}${ZONE}${END}`),
  /^\[ {0,8}\d{1,9}\.\d{3,9}\]\s+/,
  /^[IWEF]\d{4,6} \d{2}:\d{2}:\d{2}\.\d{1,9} +\d{1,10} [\w./@-]{1,80}:\d{1,6}(?:\]|(?= ))\s+/,
  new RegExp(`^\\d{1,10}:[A-Z] \\d{1,2} ${MONTH} \\d{4} ${CLOCK} [#*.-] `),
  /^\d{10}(?:\.\d{1,9}|\d{3})?\s+/,
  /^[DIWEF], \[[^\]]{10,60}\] {1,2}[A-Z]{4,5} -- [\w-]{0,60}: /,
];
/** The time of a system log, its host, and the program with its process id. */
const SYSTEM_LOG = new RegExp(
  `^(?:<\\d{1,3}>)?\\p{L}{3,5}\\.? {1,2}\\d{1,2} ${CLOCK} {1,2}[\\w.:-]{1,64} ([\\w@./()-]{1,64}?)(?:\\[\\d{1,10}\\])?: `,
  "u",
);
/** The same of RFC 5424, with the ids of the process and the message, and structured data. */
const SYSLOG_5424 = /^<\d{1,3}>\d \S{1,40} \S{1,255} (\S{1,48}) \S{1,128} \S{1,32} (?:-|(?:\[[^\]]{1,400}\]){1,4})\s+/;
/** Programs that only forward what others report. */
const FORWARDERS = /^(?:systemd|kernel|audit|init)$/;

const LEVEL =
  /^[[(<]? ?(?:FATAL|CRITICAL|CRIT|EMERG|ALERT|SEVERE|ERROR|ERR|WARNING|WARN|INFO|NOTICE|DEBUG|TRACE|LOG)(?:\/[\w-]{1,40})?(?:\s{0,2}[\])>])?(?:(?<=\])(?=\[)|:?(?:\s+|$))/;
const BRACKETED_LEVEL =
  /^[[(<](?:fatal|critical|crit|emerg|alert|error|err|warning|warn|info|notice|debug)[\])>]:?(?:\s+|(?<=\])(?=\[))/;
const LOWER_LEVEL = /^(?:fatal|critical|crit|error|err|warning|warn|info|notice|debug)(?::\s+|\s{2,}|\t)(?=\S)/;
/** Marks that a build system or a program draws in front of a line. */
const MARKS =
  /^(?:#\d{1,4} (?:\d{1,6}\.\d{1,4} )?|##\[[a-z]{1,20}\]|::[a-z]{1,20}(?: [^:]{0,200})?::|[│║▶●✖✗×*>!|]{1,2}\s{1,8}|E\s{2,8}|-\s)/;
/** The name of a container or process that the output of several is prefixed with. */
const STREAM_NAME = /^(?:\[[\w./:-]{1,120}\] |[\w.-]{1,64} {0,20}\| )/;
/** The parts between the time and the message. */
const FIELDS: readonly RegExp[] = [
  /^std(?:err|out) [FP] /,
  /^\[[^\]]{0,100}\]:?\s*/,
  /^\d{1,10}(?:#\d{1,10})?:?\s+(?:---\s+)?/,
  /^\*\d{1,12}\s/,
  /^-{1,3}\s+/,
  /^[:|]\s+/,
  /^[\w-]{1,40}@[\w-]{1,40}\s(?=[A-Z]{3,9}:)/,
  /^[\w./-]{1,120}\.[a-z]{1,4}:\d{1,6}(?::\d{1,6})?[\]:]?\s+/,
  /^[a-z_]\w{0,60}(?:::\w{1,60}){1,8}:\s/,
  /^[\w.$[\]/-]{3,100}\s{1,40}[-:]\s+/,
  /^(?![\w.$]{0,100}(?:Error|Exception|Failure|Fault|Denied|Refused|Timeout)\b)[a-z][\w$]{0,60}(?:\.[\w$]{1,60}){1,8}:\s/,
];
/** Words in front of an exception that say only that it is one. */
const ANNOUNCEMENTS =
  /^(?:Exception in thread "[^"]{0,200}"\s+|Unhandled exception[.:]\s+|Caused by:\s+|Uncaught (?=\S{3,100}(?:Error|Exception))|---> |\[cause\]: )/i;
/** The place in a script in front of its message. */
const SCRIPT_PLACE = /^\S{1,200}:\d{1,6}:in [`'][^`']{0,200}':\s/;
/** The logger in parentheses behind a message. */
const TRAILING_LOGGER = /\s\([a-z]\w{0,60}(?:\.\w{1,60}){2,10}\)$/;

/** Whether a line begins as a log line does: with a time, or with a level in capitals or brackets. */
export function hasLogPrefix(line: string): boolean {
  const text = line.slice(0, 200).trimStart().replace(STREAM_NAME, "");
  return [...TIMES, SYSTEM_LOG, SYSLOG_5424, LEVEL, BRACKETED_LEVEL].some((pattern) => pattern.test(text));
}

/** The line without its prefix, its announcement and repeated blanks. */
export function withoutLogPrefix(line: string): string {
  let text = line.slice(0, MAX_READ_LENGTH).trim();
  let isLogged = false;
  for (let step = 0; step < MAX_STEPS; step++) {
    const next = withoutFirstPart(text, isLogged);
    if (next === null || !isMessage(next.text)) break;
    text = next.text;
    isLogged ||= next.isLogged;
  }
  const message = text.replace(SCRIPT_PLACE, "").replace(TRAILING_LOGGER, "").replace(/\s+/g, " ").trim();
  return isMessage(message) ? message : text;
}

/** What a text in front of a message says beside its prefix; empty for a prefix alone. */
export function withoutPrefixInFront(text: string): string {
  return withoutLogPrefix(`${text} message`).replace(/ ?message$/, "");
}

interface Rest {
  readonly text: string;
  readonly isLogged: boolean;
}

function withoutFirstPart(text: string, isLogged: boolean): Rest | null {
  const system = SYSTEM_LOG.exec(text) ?? SYSLOG_5424.exec(text);
  if (system) {
    const program = system[1] ?? "";
    const rest = text.slice(system[0].length);
    const isNamed = FORWARDERS.test(program) || rest.startsWith(`${program}:`);
    return { text: isNamed ? rest : `${program}: ${withoutLogPrefix(rest)}`, isLogged: false };
  }
  for (const pattern of [...TIMES, LEVEL, BRACKETED_LEVEL]) {
    const rest = afterMatch(pattern, text);
    // "ERROR 1205 (HY000): …" is a numbered error, and no log line.
    if (rest !== null && (isLogged || pattern !== LEVEL || !/^\d/.test(rest))) return { text: rest, isLogged: true };
  }
  for (const pattern of [MARKS, STREAM_NAME, ANNOUNCEMENTS, ...(isLogged ? [LOWER_LEVEL, ...FIELDS] : [])]) {
    const rest = afterMatch(pattern, text);
    if (rest !== null) return { text: rest, isLogged };
  }
  return null;
}

function afterMatch(pattern: RegExp, text: string): string | null {
  const match = pattern.exec(text);
  return match && match[0] !== "" ? text.slice(match[0].length).trimStart() : null;
}

function isMessage(text: string): boolean {
  return text.length >= MIN_MESSAGE_LENGTH && /\p{L}{2}/u.test(text);
}
