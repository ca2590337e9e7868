// Forged turns: a line that looks like a part of a prompt (a role, a boundary, a tag), and soon after it a text that only a
// model is meant for: an order, or a verdict about the incident. Each alone is ordinary: chats have roles, reports end,
// alarms are false. Pure functions, linear in the text.

import type { CompactMatch } from "./compact-phrases.ts";
import { LOG_PREFIX } from "./wrapped-phrases.ts";

/** What stands around the name of a role: marks of Markdown, brackets, rules. */
const MARKS = "[\\s>|*#_=\\-<\\[({/\"'`~%!:.]{0,12}";
const AFTER = "[\"'*_\\])}]{0,4} ?(?:[:>\\]]|$)";
const NOUN =
  "(?:log|logs|report|data|input|output|evidence|transcript|document|context|alert|content|text|prompt|instructions|message|section|note|turn|conversation)";

/** The model itself speaks. */
const AGENT = new RegExp(
  `^${MARKS}(?:assistant|ai|chatgpt|claude|gpt|llm|model|dejavu)(?: (?:turn|message|response|answer|reply|output))?${AFTER}|<(?:answer|final|verdict|conclusion|thinking|tool\\b[^>]{0,40})>|^${MARKS}(?:final answer|action input) ?:`,
);
/** Somebody above the report speaks, or the report ends. */
const AUTHORITY = new RegExp(
  [
    `^${MARKS}(?:system|developer|operator|admin(?:istrator)?|tool)(?: (?:turn|message|prompt|note|notice|result|output|response|instructions?))?(?: \\([^)]{1,60}\\))?${AFTER}`,
    `^${MARKS}q(?:uestion)? ?: .{0,80}\\b(?:outcome|verdict|severity|root cause|incident|alert)\\b`,
    "\\brole ?[:=] ?[\"']?(?:system|assistant|tool|developer)\\b",
    "<!-- ?(?:system|assistant|ai|triage|note)\\b",
    "<(?:system|human|user|instructions?)>",
    `\\b(?:end|begin|start|close|beginning|new)[ _-](?:of[ _-])?(?:the[ _-])?(?:(?:untrusted|trusted|user(?:'s)?|external|foreign|quoted|tool|operator|privileged|system|assistant)[ _-]){0,2}${NOUN}(?![a-z])`,
    `\\b${NOUN} ends here\\b`,
    "\\[/(?:context|report|log|input|data|user|system)\\]",
    "</(?:report|runbook|session|logs?|evidence|context|data|document|input|untrusted[\\w-]*|user|answer|domains)>|\\]\\]>",
  ].join("|"),
);

const VERDICT =
  "\\b(?:no (?:incident|action|failure|further (?:steps?|action)|root cause|cause|problem|error)s?\\b(?! (?:code|handler|message|rate|budget|log|was (?:found|taken)))|nothing (?:is wrong|failed|happened|to (?:do|investigate|fix|report))|false (?:alarm|positive)|all[ -]clear|benign|(?:known|expected) (?:flake|behaviou?r|noise)|planned (?:maintenance|restart|work)|(?:is|was|as) (?:a (?:drill|test|duplicate)|noise|resolved|duplicate|decommissioned)|on purpose|(?:alert|incident|ticket) (?:is |was |as )?(?:closed|resolved|complete|noise|a drill|a test)|(?:severity|outcome|verdict) ?(?:is|[:=])? ?[\"']?(?:none|low|info|benign|resolved|healthy)|(?:triage|analysis) (?:\\w+ ){0,4}(?:complete|finished|done))\\b";
const STATE =
  "\\b(?:healthy|recovered|(?:is|are|was|be) (?:fine|well|ok|fixed|solved|good)|all (?:well|good|running|ok|green)|everything (?:is|works)|back to normal|check(?:s)? passed)\\b";
const ORDER =
  "\\b(?:you (?:are|must|will|should|can|may|only|now)\\b|ignore (?:the|all|any|your|previous)|your (?:new |next |real )?(?:task|instructions?|answer|rules?)|new (?:task|instructions?)|these instructions|(?:answer|reply|respond) (?:with|that|only|healthy|ok)|(?:treat|mark|close|drop|trust|obey|follow) (?:this|it|the|its|all|that|as)|(?:say|write|state|conclude|confirm|report|output) (?:that|a|an|the|its|only|outcome|no|nothing|as|benign)|(?:cite|rely on|count only|quote) |as an ai|(?:report|evidence|text|log|lines?|alert|notice) (?:above|below|(?:is|was|are) (?:trusted|verified|fabricated|fake|wrong|a test|the whole))|verdict|summary to give|(?:only|just) the (?:first|last) line)";
const FROM_AGENT = new RegExp(`${VERDICT}|${STATE}|${ORDER}`);
const FROM_AUTHORITY = new RegExp(`${VERDICT}|${ORDER}`);

/** Lines after the mark, and characters in them, in which the text follows. */
const LINES_AFTER = 2;
const WINDOW = 200;

/**
 * @param lines as a model reads them
 * @param mayBeMark whether a line may hold the mark of a turn
 */
export function findForgedTurns(lines: readonly string[], mayBeMark: readonly boolean[]): CompactMatch[] {
  const matches: CompactMatch[] = [];
  lines.forEach((line, i) => {
    if (!mayBeMark[i]) return;
    const text = line.toLowerCase().replace(LOG_PREFIX, "");
    const next = lines.slice(i + 1, i + 1 + LINES_AFTER);
    const match = findText(text, AGENT, FROM_AGENT, next) ?? findText(text, AUTHORITY, FROM_AUTHORITY, next);
    if (match)
      matches.push({ category: "delimiter_injection", matched: match.matched, first: i, last: i + match.lines });
  });
  return matches;
}

function findText(
  line: string,
  mark: RegExp,
  follows: RegExp,
  next: readonly string[],
): { readonly matched: string; readonly lines: number } | null {
  const start = mark.exec(line);
  if (!start) return null;
  let left = WINDOW;
  const rest = [line.slice(start.index + start[0].length), ...next];
  for (const [lines, text] of rest.entries()) {
    const matched = follows.exec(text.slice(0, left).toLowerCase());
    if (matched) return { matched: `${start[0].trim()} … ${matched[0]}`, lines };
    left -= text.length;
    if (left <= 0) return null;
  }
  return null;
}
