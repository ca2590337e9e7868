// Reads the input of a command, as arguments, files, standard input or JSON alerts, into bodies of POST /v1/triage.

import { createReadStream, existsSync, statSync } from "node:fs";
import { type Report, readReport, reportOf } from "../../functions/incidents/read-report.ts";
import { fitLog, MAX_LOG_LENGTH } from "../../lib/logs/fit-log.ts";
import { CommandError } from "../service/command-error.ts";
import { reading } from "../service/file-error.ts";
import { readAlerts } from "./read-alerts.ts";
import { type InputText, readText } from "./read-text.ts";
import { chunksOf, chunksWithin, isPiped } from "./standard-input.ts";
import type { TriageBody } from "./triage-body.ts";

export type { TriageBody } from "./triage-body.ts";

const STANDARD_INPUT = "-";
const STANDARD_INPUT_NAME = "Standard input";
/** Milliseconds without a first byte after which a pipe that nobody asked to read is left. */
const FIRST_BYTE_TIMEOUT_MS = 10_000;
const MAX_QUESTION_LENGTH = 4_000;
/** Characters of the evidence that each of many sources may have, and of the name above it. */
const MIN_SOURCE_LENGTH = 4_000;
const MAX_HEADING_LENGTH = 300;

export interface InputOptions {
  /** The arguments, joined by a blank. A single `-` stands for standard input. */
  readonly words: readonly string[];
  /** Paths; `-` stands for standard input. */
  readonly files: readonly string[];
  /** Read for `-`, when there are neither words nor files, and when a shell piped something into it. */
  readonly stdin: NodeJS.ReadableStream | null;
  /** The field of a title that a person wrote. Default: `title`. */
  readonly as?: "title" | "question";
  /** Prints a line for the person at the terminal. */
  readonly say: (text: string) => void;
  readonly now?: Date;
  readonly firstByteTimeoutMs?: number;
}

export interface Input {
  /** Within the limits of the service; none if the input holds alerts and none is firing. */
  readonly requests: readonly TriageBody[];
  /** What was left out or changed, as sentences. */
  readonly notes: readonly string[];
}

interface Source extends InputText {
  readonly name: string;
}

/** @throws CommandError that says what is wrong with the input and what to do */
export async function readInput(options: InputOptions): Promise<Input> {
  const words = options.words
    .filter((word) => word !== STANDARD_INPUT)
    .join(" ")
    .trim();
  const notes: string[] = [];
  const sources = await readSources(options, words, notes);
  notes.push(...sources.flatMap((source) => source.notes));
  for (const { name, text } of sources) if (text.trim() === "") throw new CommandError("usage", emptyMessage(name));
  if (words === "" && sources.length === 0) throw new CommandError("usage", NOTHING);
  const alerts = alertsIn(sources, words, options.now ?? new Date());
  notes.push(...(alerts?.notes ?? []));
  const evidence = evidenceOf(alerts?.others ?? sources, notes);
  if (alerts && options.as === "question" && alerts.words !== "")
    return { requests: [questionAbout(alerts, evidence, options, notes)], notes };
  if (alerts) return { requests: withContext(alerts.requests, { words: alerts.words, evidence, notes }), notes };
  if (words !== "" && sources.length === 0) refusePath(options.words);
  return { requests: [requestOf(words, evidence, options, notes)], notes };
}

const NOTHING =
  'There is nothing to triage. Pass a text ("checkout returns 502"), a file (--file app.log), or pipe the output of a command.';

function emptyMessage(name: string): string {
  const advice =
    name === STANDARD_INPUT_NAME ? "Did the command before the pipe print to standard error? Add 2>&1 to it." : "";
  return `${name} is empty: there is nothing to read. ${advice}`.trim();
}

async function readSources(
  { files, stdin, say, firstByteTimeoutMs = FIRST_BYTE_TIMEOUT_MS, ...options }: InputOptions,
  words: string,
  notes: string[],
): Promise<Source[]> {
  const isAsked = options.words.includes(STANDARD_INPUT) || files.includes(STANDARD_INPUT);
  const isNeeded = isAsked || (words === "" && files.length === 0);
  if (isAsked && stdin === null) throw new CommandError("usage", "Standard input is closed. Pass a file with --file.");
  const sources: Source[] = [];
  for (const path of files) if (path !== STANDARD_INPUT) sources.push(await readFileSource(path));
  if (stdin === null || (!isNeeded && !isPiped(stdin))) return sources;
  if (isNeeded)
    return [...sources, { ...(await readText(chunksOf(stdin, say), STANDARD_INPUT_NAME)), name: STANDARD_INPUT_NAME }];
  const onTimeout = () => {
    notes.push(
      `Standard input sent nothing for ${firstByteTimeoutMs / 1_000} s and was left out. Pass "-" to wait for it.`,
    );
  };
  const piped = await readText(chunksWithin(stdin, firstByteTimeoutMs, onTimeout), STANDARD_INPUT_NAME);
  // Nobody asked for it, so nothing is missing when it is empty.
  return piped.text.trim() === "" ? sources : [...sources, { ...piped, name: STANDARD_INPUT_NAME }];
}

async function readFileSource(path: string): Promise<Source> {
  return { ...(await reading(path, () => readText(createReadStream(path), path))), name: path };
}

interface AlertsInSources {
  readonly requests: readonly TriageBody[];
  readonly notes: readonly string[];
  /** Sources that hold no alerts. */
  readonly others: readonly Source[];
  /** The words, if they are no alert themselves. */
  readonly words: string;
}

function alertsIn(sources: readonly Source[], words: string, now: Date): AlertsInSources | null {
  const read = sources.map((source) => ({
    source,
    alerts: readAlerts(source.json ?? source.text, now),
  }));
  const pasted = words === "" ? null : readAlerts(words, now);
  const all = [pasted, ...read.map(({ alerts }) => alerts)].filter((alerts) => alerts !== null);
  if (all.length === 0) return null;
  return {
    requests: all.flatMap(({ requests }) => requests),
    notes: all.flatMap((alerts) => alerts.notes),
    others: read.filter(({ alerts }) => alerts === null).map(({ source }) => source),
    words: pasted === null ? words : "",
  };
}

/** The alerts are the evidence of the question. A single one also gives its title, target, severity and labels. */
function questionAbout(
  { requests, words }: Pick<AlertsInSources, "requests" | "words">,
  evidence: string,
  options: InputOptions,
  notes: string[],
): TriageBody {
  const alert = requests.length === 1 ? requests[0] : {};
  const texts = requests.flatMap(({ title = "", logs = "" }) => (requests.length === 1 ? [logs] : [title, logs]));
  return { ...alert, ...requestOf(words, joinEvidence([...texts, evidence], notes), options, notes) };
}

/** Adds words and other evidence to alerts. The words are the title of a single alert, with its own title as evidence. */
function withContext(
  requests: readonly TriageBody[],
  { words, evidence, notes }: { readonly words: string; readonly evidence: string; readonly notes: string[] },
): readonly TriageBody[] {
  if (words !== "" && requests.length > 1)
    notes.push("The alerts keep their own titles; the words are added to their evidence.");
  return requests.map((request) => {
    const report = words === "" ? null : readReport(words);
    const [title, other] =
      report !== null && requests.length === 1 ? [report.title, request.title] : [request.title, words];
    const logs = joinEvidence([other ?? "", request.logs ?? "", evidence], notes);
    return { ...request, ...(title === undefined ? {} : { title }), ...(logs === "" ? {} : { logs }) };
  });
}

function joinEvidence(texts: readonly string[], notes: string[]): string {
  const fitted = fitLog(texts.filter((text) => text !== "").join("\n"));
  notes.push(...cutNotes({ ...fitted, name: "The evidence" }));
  return fitted.text;
}

/** The text of all sources, each below its name if there are several, cut to the limit. */
function evidenceOf(sources: readonly Source[], notes: string[]): string {
  for (const source of sources) notes.push(...cutNotes(source));
  const [only] = sources;
  if (only === undefined) return "";
  if (sources.length === 1) return only.text;
  const share = Math.max(MIN_SOURCE_LENGTH, Math.floor(MAX_LOG_LENGTH / sources.length) - MAX_HEADING_LENGTH);
  const parts = sources.map(({ name, text }) => {
    const fitted = fitLog(text, share);
    if (fitted.linesOmitted > 0) notes.push(...cutNotes({ ...fitted, name }));
    return `==> ${name.slice(-200)} <==\n${fitted.text}`;
  });
  return joinEvidence(parts, notes);
}

const COUNT = new Intl.NumberFormat("en-US");

function cutNotes({ name, lines, linesOmitted, charactersOmitted }: Omit<Source, "text" | "json" | "notes">): string[] {
  const kept = COUNT.format(lines - linesOmitted);
  return [
    ...(linesOmitted > 0
      ? [
          `${name} has ${COUNT.format(lines)} lines; ${kept} were kept: its start, its end and the error lines between them.`,
        ]
      : []),
    ...(charactersOmitted > 0
      ? [
          `${name} has very long lines; ${COUNT.format(charactersOmitted)} characters in the middle of them were left out.`,
        ]
      : []),
  ];
}

/** What is written as one word and cannot be a report. */
const FILE_NAME = /^[^\s:]+\.(?:log|txt|out|err|json|ya?ml)$/i;

/**
 * "app.log" as the only word is a file, no report: its answer would be about the name.
 * @throws CommandError when the only word is the path of a file, or looks like one that does not exist
 */
function refusePath(words: readonly string[]): void {
  const [path, ...others] = words;
  if (path === undefined || others.length > 0) return;
  if (existsSync(path) && statSync(path).isFile())
    throw new CommandError("usage", `"${path}" is a file. To triage its content, pass --file ${path}.`);
  if (FILE_NAME.test(path))
    throw new CommandError("usage", `There is no file "${path}". Pass words that say what failed, or --file <path>.`);
}

function requestOf(words: string, evidence: string, { as }: InputOptions, notes: string[]): TriageBody {
  const report = words === "" ? reportOf({ text: evidence }, { keepsLines: true }) : readReport(words);
  if (report === null)
    throw new CommandError("usage", "The text has no visible characters. Pass what happened, in words.");
  if (words.length > MAX_LOG_LENGTH)
    notes.push("The text is too long: its start, its end and its error lines were kept.");
  const logs = words === "" ? (report.logs ?? "") : joinEvidence([report.logs ?? "", evidence], notes);
  return {
    ...headlineOf(report, as),
    ...describedTarget(evidence === "" ? words : evidence),
    ...(logs === "" ? {} : { logs }),
  };
}

function headlineOf({ title, isWritten }: Report, as: InputOptions["as"]): Pick<TriageBody, "title" | "question"> {
  return as === "question" && isWritten ? { question: title.slice(0, MAX_QUESTION_LENGTH).toWellFormed() } : { title };
}

/** Lines at the start that are searched for the fields. */
const MAX_LINES = 40;
const MAX_TARGET_LENGTH = 256;
const FIELD = /^([A-Z][A-Za-z ]{1,30}):\s+(\S+)\s*$/;
/** The kind of an object, by a field that only its description has. */
const KINDS: readonly (readonly [kind: string, fields: RegExp])[] = [
  ["pod", /^(?:QoS Class|Service Account|Start Time|Controlled By|Priority|Containers|IPs):/],
  ["node", /^(?:Roles|ProviderID|PodCIDR|Non-terminated Pods):/],
  ["deployment", /^(?:StrategyType|MinReadySeconds|RollingUpdateStrategy|NewReplicaSet):/],
  ["persistentvolumeclaim", /^(?:StorageClass|VolumeMode|Access Modes):/],
];

/** Empty for any other text. */
function describedTarget(text: string): Pick<TriageBody, "target" | "labels"> {
  const lines = text.slice(0, 20_000).split(/\r?\n/);
  const start = lines.findIndex((line) => line.startsWith("Name:"));
  // Only a prompt with the command may stand above.
  if (start === -1 || start > 3) return {};
  const head = lines.slice(start, start + MAX_LINES);
  const fields = new Map(
    head.flatMap((line) => {
      const [, name, value] = FIELD.exec(line) ?? [];
      return name !== undefined && value !== undefined ? [[name, value] as const] : [];
    }),
  );
  const name = fields.get("Name");
  const namespace = fields.get("Namespace");
  const kind = KINDS.find(([, pattern]) => head.some((line) => pattern.test(line)))?.[0];
  if (name === undefined || name.length > MAX_TARGET_LENGTH || kind === undefined) return {};
  if (namespace === undefined && kind !== "node") return {};
  return { target: name, labels: { ...(namespace === undefined ? {} : { namespace }), [kind]: name } };
}
