// `dejavu similar`: past incidents that are like a text, or like an incident.

import { describeHit, likenessLines, textParts, withStruck } from "../../functions/answer-view/past-incident-text.ts";
import type { IncidentHit } from "../../functions/schemas/triage-result.ts";
import { readInput } from "../input/read-input.ts";
import { createWriter, type Writer } from "../render/terminal-text.ts";
import type { RenderOptions } from "../render-options.ts";
import { call, parseAnswer, pathOf } from "../service/client.ts";
import type { Service } from "../service/find-service.ts";
import { incidentDetailSchema } from "../service/incident.ts";
import { incidentId, LAST } from "../service/incident-id.ts";
import { type Cli, type Invocation, printResult } from "../service/invocation.ts";
import { MAX_QUERY_LENGTH, type MemorySearchResult, memorySearchSchema } from "../service/memory-search.ts";
import { oneLine } from "../table.ts";

export interface SimilarOptions {
  readonly domain?: string;
  readonly all?: boolean;
  readonly file?: readonly string[];
}

const MAX_COLUMNS = 110;

/** The beginning of an id: hexadecimal with a digit, so that it is no word. */
const INCIDENT_ID = /^(?=.*\d)[0-9a-f]{4,8}(?:-[0-9a-f-]*)?$/;

export async function run({ args, options, cli }: Invocation<SimilarOptions>): Promise<void> {
  const [word = "", ...others] = args;
  const isIncident = others.length === 0 && (word === LAST || INCIDENT_ID.test(word));
  const read = isIncident ? null : await queryOfInput(cli, args, options);
  const service = await cli.service();
  const { query, incident } = read ?? (await queryOfIncident(service, await incidentId(service, cli, word)));
  const answer = await call(service, { path: "/v1/memory/search", query: { query, domain: options.domain } });
  const result = parseAnswer(service, answer, memorySearchSchema);
  // Nothing is more like an incident than itself.
  const incidents = result.incidents.filter(({ id }) => id !== incident);
  printResult({ cli, options }, answer, () =>
    renderSimilar({ ...result, incidents }, { ...cli.terminal(MAX_COLUMNS), all: options.all ?? false }),
  );
}

interface SimilarQuery {
  /** The headline, then lines of evidence. */
  readonly query: string;
  /** The incident that it describes; null for a text. */
  readonly incident: string | null;
}

async function queryOfInput(cli: Cli, words: readonly string[], { file }: SimilarOptions): Promise<SimilarQuery> {
  const { requests, notes } = await readInput({ words, files: file ?? [], stdin: cli.stdin, say: cli.note });
  for (const note of notes) cli.note(note);
  if (requests.length > 1) cli.note(`Searches for the first of ${requests.length} alerts.`);
  const [{ title, logs } = {}] = requests;
  return { query: queryOf([title ?? "", logs ?? ""]), incident: null };
}

/** An incident by its title and the error lines that its answer quotes. */
async function queryOfIncident(service: Service, id: string): Promise<SimilarQuery> {
  const answer = await call(service, { path: pathOf("incidents", id) });
  const { title, triage } = parseAnswer(service, answer, incidentDetailSchema);
  const quotes = triage?.answer.evidence.map(({ quote }) => quote ?? "") ?? [];
  return { query: queryOf([title, ...quotes]), incident: id };
}

function queryOf(lines: readonly string[]): string {
  return lines
    .filter((line) => line !== "")
    .join("\n")
    .slice(0, MAX_QUERY_LENGTH);
}

const INDENT = "  ";

/** @param all also shows hits that are probably about another failure */
function renderSimilar(
  { incidents, warnings }: MemorySearchResult,
  { all, ...options }: RenderOptions & { readonly all: boolean },
): string {
  const shown = all ? incidents : incidents.filter(({ relevant }) => relevant);
  const left = incidents.length - shown.length;
  const others =
    left === 0 ? [] : [`${left} ${left === 1 ? "past incident is" : "past incidents are"} less likely: add --all.`];
  const { block } = createWriter(options);
  const lines = (text: string) => block(oneLine(text), 0);
  return [
    ...(shown.length === 0 ? lines("No past incident is alike.") : []),
    ...shown.flatMap((hit, i) => [...(i === 0 ? [] : [""]), ...renderHit(hit, block)]),
    ...(others.length === 0 ? [] : ["", ...lines(others[0] ?? "")]),
    ...warnings.flatMap(({ message }) => lines(`! ${message}`)),
  ].join("\n");
}

function renderHit(hit: IncidentHit, block: Writer["block"]): string[] {
  const fix = hit.fixes.find(({ retired, worked }) => retired === null && worked > 0);
  return [
    ...block(oneLine(withStruck(textParts(describeHit(hit)), (former) => `~~${former}~~`)), 0),
    ...likenessLines(hit).flatMap((line) => block(oneLine(line), INDENT.length)),
    `${INDENT}record ${hit.id}`,
    ...(fix === undefined ? [] : [`${INDENT}fix    ${fix.id}`]),
  ];
}
