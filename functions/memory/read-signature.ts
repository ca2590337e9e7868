// Reads the signature of a failure from a report, and its fingerprint. Pure functions.

import { createHash } from "node:crypto";
import { failureCodes } from "../../lib/logs/failure-codes.ts";
import { templateOf, wordsOfTemplate } from "../../lib/logs/line-template.ts";
import { withoutUniqueParts } from "../../lib/logs/log-time.ts";
import { weighMechanisms } from "../../lib/mechanisms/weigh-mechanisms.ts";
import { unmarkedLog, withoutMarkers } from "../../lib/redaction/redaction-marker.ts";
import { tokenizeWords } from "../../lib/text/tokenize.ts";
import { type FailureSignature, type LineTemplate, SIGNATURE_VERSION } from "../schemas/failure-signature.ts";
import { type Incident, searchText } from "../schemas/incident.ts";

const SIGNED_FIELDS = ["title", "question", "target", "labels", "logs", "evidence"] as const;
export type SignedReport = Pick<Incident, (typeof SIGNED_FIELDS)[number]>;

const MAX_TEMPLATES = 8;
/** Share of the heaviest line's weight from which on a line decides what failed. */
const DECISIVE_SHARE = 0.65;
const MAX_DECISIVE = 5;
/** A lighter line shows no failure by itself. */
const MIN_DECISIVE_WEIGHT = 0.35;
/** Distinct words of the decisive lines that recognise a failure. Fewer are a symptom that many failures share. */
const MIN_WORDS = 6;

/** Labels that name the failing object, the most exact first. Their names are its kind. */
const KIND_LABELS = [
  ...["container", "pod", "job_name", "job", "cronjob", "statefulset", "daemonset", "deployment", "replicaset"],
  ...["persistentvolumeclaim", "persistentvolume", "volume", "queue", "topic", "consumergroup", "database", "datname"],
  ...["index", "certificate", "ingress", "mountpoint", "device", "disk", "node", "host", "instance", "service"],
];
const KINDS: Readonly<Record<string, string>> = {
  job_name: "job",
  datname: "database",
  host: "node",
  instance: "node",
};
/** Labels whose values are names of objects, and no part of what failed. */
const NAME_LABELS = ["namespace", "cluster", "region", "zone", ...KIND_LABELS];

/** The signature by the evidence of a report: every step of a triage needs it, and its copies of the incident share the evidence. */
const CACHE = new WeakMap<
  SignedReport["evidence"],
  { readonly report: SignedReport; readonly signature: FailureSignature }
>();

export function readSignature(report: SignedReport): FailureSignature {
  const cached = CACHE.get(report.evidence);
  if (cached && SIGNED_FIELDS.every((field) => cached.report[field] === report[field])) return cached.signature;
  const signature = signatureOf(report);
  CACHE.set(report.evidence, { report, signature });
  return signature;
}

function signatureOf(marked: SignedReport): FailureSignature {
  const report = unmarkedReport(marked);
  const { labels, evidence } = report;
  const names = namesOf(report);
  const templates: LineTemplate[] = [];
  for (const { text, weight } of evidence.lines) {
    const template = templateOf(text, names);
    if (wordsOfTemplate(template).length === 0 || templates.some((each) => each.text === template)) continue;
    templates.push({ text: template, weight });
    if (templates.length === MAX_TEMPLATES) break;
  }
  const alert = labels.alertname ?? null;
  const decisive = decisiveTemplates(templates);
  const isSpecific = new Set(decisive.flatMap(({ text }) => wordsOfTemplate(text))).size >= MIN_WORDS;
  return {
    version: SIGNATURE_VERSION,
    basis: isSpecific ? "error_lines" : alert === null ? "title" : "alert",
    alert,
    kind: kindOf(labels),
    codes: failureCodes(evidence.lines.map(({ text }) => text)),
    templates,
    words: logWords(report.logs ?? "", names),
    mechanisms: mechanismsOf(report),
  };
}

/** The template of each error line, in their order. */
export function lineTemplates(report: SignedReport): string[] {
  const names = namesOf(unmarkedReport(report));
  return report.evidence.lines.map(({ text }) => templateOf(text, names));
}

/** Without markers. The error lines have none already. */
function unmarkedReport(report: SignedReport): SignedReport {
  const { title, question, target, labels, logs } = report;
  return {
    ...report,
    title: withoutMarkers(title),
    question: question && withoutMarkers(question),
    target: target && withoutMarkers(target),
    labels: Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, withoutMarkers(value)])),
    logs: logs && unmarkedLog(logs).text,
  };
}

/** The templates that decide what failed, the most important first; empty if no line shows a failure. */
export function decisiveTemplates(templates: readonly LineTemplate[]): LineTemplate[] {
  const heaviest = templates[0]?.weight ?? 0;
  const least = Math.max(MIN_DECISIVE_WEIGHT, heaviest * DECISIVE_SHARE);
  return templates.filter(({ weight }) => weight >= least).slice(0, MAX_DECISIVE);
}

/**
 * Equal for repeats of one failure. With specific error lines, it is made of their templates alone, so that the same failure of two
 * services has one fingerprint. Otherwise target and headline are part of it.
 */
export function signatureFingerprint(signature: FailureSignature, marked: SignedReport): string {
  const report = unmarkedReport(marked);
  const { version, basis, alert, templates } = signature;
  const lines = templates.map(({ text }) => text).toSorted();
  const target = withoutVariableParts(report.target ?? "");
  const title = withoutVariableParts(report.title);
  const identity =
    basis === "error_lines"
      ? lines
      : basis === "alert"
        ? [alert, target, ...lines]
        : [target, title, withoutVariableParts(report.question ?? ""), ...lines];
  return createHash("sha256")
    .update(JSON.stringify([version, basis, ...identity]))
    .digest("hex");
}

const DIGITS = 1_000;

function mechanismsOf({ title, question, labels, logs, evidence }: SignedReport): Record<string, number> {
  const weights = weighMechanisms({
    headline: searchText({ title, question, searchQuery: null, labels }),
    errorLines: evidence.lines.map(({ text }) => text),
    log: logs ?? "",
  });
  return Object.fromEntries([...weights].map(([name, weight]) => [name, Math.round(weight * DIGITS) / DIGITS]));
}

const PERCENTAGE = /\b\d+(?:[.,]\d+)?\s?(?:%|percent\b)/g;
const DATE_OR_TIME = /\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}:\d{2}\b/g;
/** The random suffix of pod names: -7c9f8d6b5-x2x4z, -x2x4z; never digits alone. */
const POD_SUFFIX =
  /-(?:[a-f0-9]{8,10}-[a-z0-9]{5}|(?=[a-z]*\d)(?=\d*[a-z])[bcdfghjklmnpqrstvwxz2456789]{5})(?![a-z0-9-])/g;

/** Without times, percentages and random ids. Plain numbers stay: exit code 137 is not exit code 1. */
function withoutVariableParts(text: string): string {
  return withoutUniqueParts(text)
    .toLowerCase()
    .replace(PERCENTAGE, " n% ")
    .replace(DATE_OR_TIME, " ")
    .replace(POD_SUFFIX, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** The names of the affected objects, longest first, with and without random suffixes. */
function namesOf({ target, labels }: SignedReport): string[] {
  const values = [target ?? "", ...NAME_LABELS.map((label) => labels[label] ?? "")];
  const names = values.flatMap((value) => {
    const name = value.replace(/^.*\//, "").trim();
    return [name, name.replace(POD_SUFFIX, "")];
  });
  return [...new Set(names)].filter((name) => name.length >= 2).toSorted((a, b) => b.length - a.length);
}

function kindOf(labels: Readonly<Record<string, string>>): string | null {
  const label = KIND_LABELS.find((each) => labels[each] !== undefined);
  return label === undefined ? null : (KINDS[label] ?? label);
}

/** Lines that are read: of a longer log the first and the last. */
const MAX_LINES = 200;
const MAX_WORDS = 240;
const MAX_WORD_LENGTH = 40;
/** `link: https://metrics.example/graph?g0.expr=up`: alerts of one system have it, whatever failed. */
const LINK_LINE = /^[\w .-]{0,40}:? ?https?:\/\/\S+$/;

/**
 * The distinct terms of the log's lines without links, names, numbers and times, in the order of the log, at most 240.
 * @param names of the affected objects
 */
function logWords(logs: string, names: readonly string[]): string[] {
  const lines = logs.split("\n");
  const half = MAX_LINES / 2;
  const read = lines.length <= MAX_LINES ? lines : [...lines.slice(0, half), ...lines.slice(-half)];
  const templates = new Set(read.filter((line) => !LINK_LINE.test(line)).map((line) => templateOf(line, names)));
  const words = new Set<string>();
  for (const template of templates)
    for (const word of tokenizeWords(wordsOfTemplate(template).join(" "))) {
      if (word.length <= MAX_WORD_LENGTH && !/^\d+$/.test(word)) words.add(word);
      if (words.size === MAX_WORDS) return [...words];
    }
  return [...words];
}
