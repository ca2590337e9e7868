// Drafts a runbook from incidents that none answered: what they have in common, and what fixed them. Pure functions.

import { templateOf } from "../../lib/logs/line-template.ts";
import { timeOf } from "../../lib/logs/log-time.ts";
import { readEvidence } from "../../lib/logs/read-evidence.ts";
import { codeSpan } from "../../lib/markdown/foreign-text.ts";
import { displayText } from "../../lib/text/display-text.ts";
import { searchText, truncate } from "../schemas/incident.ts";
import type { GapEvidence } from "./answer-gaps.ts";

type GapIncident = GapEvidence["incidents"][number];
type GapFix = GapEvidence["fixes"][number];

const MAX_TITLES = 3;
const MAX_LINES = 6;
const MAX_LABELS = 8;
const MAX_LINE_LENGTH = 200;
const MAX_FIX_LENGTH = 1_000;
/** Labels that every alert of an installation has, or that the title names already. */
const OMITTED_LABELS: ReadonlySet<string> = new Set(["alertname", "severity", "prometheus", "domain"]);

/** Markdown that passes the checks of runbooks. A section without content is left out. */
export function draftRunbook(evidence: GapEvidence): string {
  const { name, incidents, fixes } = evidence;
  const lines = errorLinesOf(incidents);
  const helped = fixes.filter(({ worked }) => worked > 0);
  const others = fixes.filter(({ worked }) => worked === 0);
  const sections: readonly (readonly [heading: string, lines: readonly string[]])[] = [
    ["Symptoms", symptomsOf(incidents, lines)],
    ["Confirm", confirmSteps(incidents, lines.length > 0)],
    ["Mitigate", helped.map((fix, i) => `${i + 1}. ${describeFix(fix)}`)],
    ["Tried without success", others.map((fix) => `- ${describeFix(fix)}`)],
    ["Past incidents", incidents.map(describeIncident)],
  ];
  const filled = sections.filter(([, content]) => content.length > 0);
  return [
    `# ${plain(name, MAX_LINE_LENGTH)}`,
    ...filled.map(([heading, content]) => `## ${heading}\n\n${content.join("\n")}`),
  ]
    .join("\n\n")
    .concat("\n");
}

function symptomsOf(incidents: readonly GapIncident[], lines: readonly string[]): string[] {
  const alerts = unique(incidents.flatMap(({ labels }) => labels.alertname ?? []));
  const titles = unique(incidents.map(({ title }) => plain(title, MAX_LINE_LENGTH))).slice(0, MAX_TITLES);
  const labels = sharedLabels(incidents);
  return [
    ...alerts.map((alert) => `- The alert ${code(alert)} fires.`),
    ...titles.map((title) => `- Reported as: ${title}`),
    ...lines.map((line) => `- The log holds ${code(line)}.`),
    ...(labels.length > 0 ? [`- Labels: ${labels.map(code).join(", ")}`] : []),
  ];
}

function confirmSteps(incidents: readonly GapIncident[], hasLines: boolean): string[] {
  const expression = incidents.find((incident) => incident.expression !== null)?.expression ?? null;
  const steps = [
    ...(hasLines ? ["(read-only) Look for the lines above in the log of the affected service."] : []),
    // A fence inside the expression would end the block.
    ...(expression === null || expression.includes("```")
      ? []
      : [`(read-only) Run the alert's expression:\n\n   \`\`\`promql\n${indented(expression)}\n   \`\`\``]),
  ];
  return steps.map((step, i) => `${i + 1}. ${step}`);
}

/** One line for each template, most important first, from the newest incident that has it. */
function errorLinesOf(incidents: readonly GapIncident[]): string[] {
  const lines = new Map<string, { readonly text: string; readonly weight: number }>();
  for (const incident of incidents) {
    const { title, question, target, labels, logs } = incident;
    const headline = searchText({ title, question, searchQuery: null, labels });
    const names = [target, ...Object.values(labels)].filter((name) => name !== null);
    for (const { text, weight } of readEvidence({ headline, logs, target, labels }).lines) {
      const template = templateOf(text, names);
      if (template !== "" && !lines.has(template))
        lines.set(template, { text: text.replace(timeOf(text) ?? "", "").trim(), weight });
    }
  }
  return [...lines.values()]
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, MAX_LINES)
    .map(({ text }) => text);
}

/** `name=value` of the labels that all incidents have. */
function sharedLabels(incidents: readonly GapIncident[]): string[] {
  const [first, ...others] = incidents;
  return Object.entries(first?.labels ?? {})
    .filter(([name, value]) => !OMITTED_LABELS.has(name) && others.every(({ labels }) => labels[name] === value))
    .slice(0, MAX_LABELS)
    .map(([name, value]) => `${name}=${value}`);
}

function describeFix({ text, conditions, tried, worked, last_worked_at: last }: GapFix): string {
  const date = last === null ? "" : `, last on ${last.slice(0, 10)}`;
  const proof = `Helped in ${worked} of ${tried} incidents${date}.`;
  const scope = conditions === null ? "" : ` Conditions: ${sentence(plain(conditions, MAX_LINE_LENGTH))}`;
  return `${sentence(plain(text, MAX_FIX_LENGTH))} ${proof}${scope}`;
}

function describeIncident({ id, created_at: at, title, target }: GapIncident): string {
  const where = target === null ? "" : `, ${plain(target, MAX_LINE_LENGTH)}`;
  return `- ${at.slice(0, 10)}${where}: ${plain(title, MAX_LINE_LENGTH)} (${code(id)})`;
}

/** One line that is neither a heading, a list, a quote nor a fence. */
function plain(text: string, length: number): string {
  const line = displayText(text)
    .replace(/\s+/g, " ")
    .replace(/`{3,}|~{3,}/g, "`")
    .trim();
  return truncate(line.replace(/^(?:[#>*+-]+ ?|\d{1,9}[.)] )+/, ""), length) || "untitled";
}

function code(text: string): string {
  return codeSpan(truncate(text, MAX_LINE_LENGTH));
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function indented(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => `   ${line}`)
    .join("\n");
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
