// Names of the report for the placeholders in the commands of its answer: `<pod>` by a label `pod`. The stored commands keep
// their placeholders, so that memory holds no names of one incident. Pure functions.

import { commandsOf, isSafeInCommand, placeholdersIn } from "../answer-view/placeholders.ts";
import type { DomainCatalog } from "../knowledge/domains/domain-catalog.ts";
import { type Labels, withoutExporter } from "../knowledge/domains/label-rules.ts";
import type { Answer } from "../schemas/answer.ts";
import type { Incident } from "../schemas/incident.ts";

/** Prometheus adds this to an object's own label when the scrape has a label of that name. */
const RENAMED = "exported_";
/** Labels that the discovery of targets sets. Beside a renamed label or the exporter's own pod, they are about the exporter. */
const DISCOVERED = new Set(["container", "endpoint", "instance", "namespace", "node", "pod", "service"]);
/** Where the metrics are read: the address of an exporter, if there is one. */
const SCRAPED_ADDRESSES = new Set(["endpoint", "instance"]);
/** The name of a scrape configuration, not of a job. */
const SCRAPE_JOB = "job";

/**
 * Words that do not say which object is meant, or where the label has the value that failed and the command wants another one,
 * such as the version of a rollback.
 */
const AMBIGUOUS = new Set([
  ...["address", "command", "count", "cpu", "file", "id", "image", "key", "limit", "memory", "mode", "n", "number"],
  ...["owner", "path", "reason", "release", "revision", "role", "size", "source", "state", "status", "tag", "type"],
  ...["value", "version"],
]);
/** Last words of placeholders for what a label must not choose. */
const SECRET_OR_ADDRESS = new Set(["password", "secret", "token", "uri", "url"]);

interface Candidate {
  readonly value: string;
  /** The nearest label first, from 0. */
  readonly distance: number;
}

/** For example `{"<pod>": "checkout-7d9"}`. Only names that are safe in a command, and only where the report leaves no doubt. */
export function placeholdersOf(
  answer: Answer,
  incident: Pick<Incident, "labels" | "target" | "title" | "question">,
  catalog: DomainCatalog,
): Record<string, string> {
  const commands = commandsOf(answer);
  const names = [...new Set(commands.flatMap(placeholdersIn))];
  if (names.length === 0) return {};
  const labels = objectLabels(incident.labels);
  const technologies = technologyWords(catalog);
  const filled = names.flatMap((placeholder) => {
    const kind = withoutNameSuffix(wordsIn(placeholder));
    if (kind.length === 0 || AMBIGUOUS.has(kind.join("")) || SECRET_OR_ADDRESS.has(kind.at(-1) ?? "")) return [];
    const value =
      nearest(labels.flatMap((label) => candidateOf(label, kind, technologies))) ?? targetOf(incident, kind);
    const isUsable = value !== undefined && isSafeInCommand(value) && fits(value, placeholder, commands);
    return isUsable ? [[placeholder, value] as const] : [];
  });
  return Object.fromEntries(filled);
}

type Label = readonly [name: string, value: string];

/** The labels about the object of the alert, not about what collects its metrics. */
function objectLabels(labels: Labels): Label[] {
  const own = withoutExporter(labels);
  const isOfExporter = (name: string) => labels[name] !== undefined && own[name] === undefined;
  const areOfExporter = isOfExporter("pod") || Object.keys(labels).some((name) => name.startsWith(RENAMED));
  const isExporter = Object.keys(labels).some(isOfExporter);
  return Object.entries(own).flatMap(([name, value]) => {
    const isOfScrape =
      name === SCRAPE_JOB || (areOfExporter && DISCOVERED.has(name)) || (isExporter && SCRAPED_ADDRESSES.has(name));
    return isOfScrape || value.trim() === "" ? [] : [[name, value.trim()] as const];
  });
}

/** Its domains' names, and the words that hint at one domain alone: a label `<domain>_pod_name` is the name of a pod. */
function technologyWords({ domains }: DomainCatalog): ReadonlySet<string> {
  const hints = [...domains.values()].flatMap(({ definition }) => definition.hints);
  const words = hints.flatMap(({ words: each = [], weight }) => (weight === 3 ? each : []));
  return new Set([...domains.keys(), ...words].map((word) => word.toLowerCase()));
}

function candidateOf([label, value]: Label, kind: readonly string[], technologies: ReadonlySet<string>): Candidate[] {
  const isRenamed = label.startsWith(RENAMED);
  const words = wordsIn(isRenamed ? label.slice(RENAMED.length) : label);
  const isKind = (each: readonly string[]) => each.join("") === kind.join("");
  if (isKind(words)) return [{ value, distance: isRenamed ? 0 : 1 }];
  const object = withoutNameSuffix(words);
  if (isKind(object)) return [{ value, distance: isRenamed ? 0 : 2 }];
  const prefix = object.slice(0, Math.max(0, object.length - kind.length));
  const isPrefixed = isKind(object.slice(prefix.length)) && prefix.every((word) => technologies.has(word));
  return isPrefixed ? [{ value, distance: 3 }] : [];
}

/** Undefined if labels of the same distance have different values. */
function nearest(candidates: readonly Candidate[]): string | undefined {
  const distance = Math.min(...candidates.map((each) => each.distance));
  const [first, ...others] = candidates.filter((each) => each.distance === distance);
  return others.every(({ value }) => value === first?.value) ? first?.value : undefined;
}

/** The target, where its own text (`pod/checkout-7d9`) or the headline (`pod checkout-7d9 restarts`) says its kind. */
function targetOf(
  { target, title, question }: Pick<Incident, "target" | "title" | "question">,
  kind: readonly string[],
): string | undefined {
  const text = target?.trim() ?? "";
  const own = /^([A-Za-z][\w-]*)(?:[/:=]|\s+)(\S+)$/.exec(text);
  if (own) return wordsIn(own[1] ?? "").join("") === kind.join("") ? own[2] : undefined;
  if (!isSafeInCommand(text)) return undefined;
  const named = String.raw`(?<![\w-])${kind.join("[ _-]?")}(?:\s+|\s*[/:=]\s*)["'\x60]?${escaped(text)}(?![\w-]|[.:/@]\w)`;
  return new RegExp(named, "i").test(`${title}\n${question ?? ""}`) ? text : undefined;
}

/** Words of a command that sends a secret. */
const SENDS_SECRET = /authorization|bearer|password|token|secret|api[_-]?key|\$\{?[A-Z_]/i;

/**
 * False where the value has the separator that its place has too: `<host>:5432` needs a name without a port. False for the host of
 * a URL in a command that sends a secret: senders of alerts choose their labels.
 */
function fits(value: string, placeholder: string, commands: readonly string[]): boolean {
  if (commands.some((command) => SENDS_SECRET.test(command) && command.toLowerCase().includes(`//${placeholder}`))) {
    return false;
  }
  const beside = new RegExp(`([:/@]?)${placeholder}([:/@]?)`, "gi");
  return commands.every((command) =>
    [...command.matchAll(beside)].every(([, before = "", after = ""]) =>
      [before, after].every((separator) => separator === "" || !value.includes(separator)),
    ),
  );
}

/** The words of a label's or placeholder's name in lower case: `podName`, `pod-name` and `pod.name` are pod and name. */
function wordsIn(name: string): string[] {
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return words.match(/[a-z0-9]+/g) ?? [];
}

/** `pod_name`, `podname` and `hostname` name the object itself. */
function withoutNameSuffix(words: readonly string[]): string[] {
  const last = words.at(-1)?.replace(/name$/, "") ?? "";
  const before = words.slice(0, -1);
  return last === "" ? before : [...before, last];
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
