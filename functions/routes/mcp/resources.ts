// MCP resources: runbooks and incidents as Markdown.

import type {
  CompleteRequest,
  CompleteResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  ResourceLink,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { agentText } from "../../incidents/agent-text.ts";
import { getIncident, listIncidents } from "../../incidents/incident-records.ts";
import { domainCatalog } from "../../knowledge/domain-store.ts";
import { runbookName } from "../../knowledge/ingest.ts";
import { wholeText } from "../../knowledge/rejoin-chunks.ts";
import { textId } from "../../knowledge/text-documents.ts";
import { getText, listTexts } from "../../knowledge/text-records.ts";
import { domainNameSchema } from "../../schemas/domain.ts";
import type { Services } from "../../services.ts";
import { pageOf, pageQuery } from "../http/pagination.ts";
import { nameCursor } from "../v1/text-schemas.ts";
import { RpcError } from "./failure.ts";
import { incidentText } from "./incident-text.ts";

const MARKDOWN = "text/markdown";
const RUNBOOKS = ["runbook"] as const;
/** On each page. */
const MAX_RUNBOOKS = 50;
const MAX_INCIDENTS = 20;
const MAX_COMPLETIONS = 100;

const RUNBOOK_URI = /^dejavu:\/\/runbooks\/([^/]+)\/(.+)$/;
const INCIDENT_URI = /^dejavu:\/\/incidents\/([^/]+)$/;

export const RESOURCE_TEMPLATES: ListResourceTemplatesResult = {
  resourceTemplates: [
    {
      uriTemplate: "dejavu://runbooks/{domain}/{+source}",
      name: "runbook",
      title: "Runbook",
      description: "A whole runbook. An answer cites it as {domain}/{source}.",
      mimeType: MARKDOWN,
    },
    {
      uriTemplate: "dejavu://incidents/{id}",
      name: "incident",
      title: "Incident",
      description:
        "An incident with its timeline, its answer and what fixed it. The id is the incident_id of an answer.",
      mimeType: MARKDOWN,
    },
  ],
};

const cursorSchema = pageQuery(nameCursor).cursor;

/**
 * Lists all runbooks page by page; the first page also lists the newest incidents.
 * @throws RpcError for an invalid cursor @throws DependencyError
 */
export async function listResources({ database, now }: Services, cursor?: string): Promise<ListResourcesResult> {
  const parsed = cursorSchema.safeParse(cursor);
  if (!parsed.success)
    throw new RpcError("invalidParams", "The cursor is not valid. Pass nextCursor of resources/list unchanged.");
  const after = parsed.data;
  const [rows, incidents] = await Promise.all([
    listTexts(database, { limit: MAX_RUNBOOKS + 1, kinds: RUNBOOKS, after }),
    after === undefined ? listIncidents(database, { limit: MAX_INCIDENTS, before: null, now: now() }) : [],
  ]);
  const { page: runbooks, next_cursor } = pageOf(rows, MAX_RUNBOOKS, ({ source }) => [source]);
  return {
    ...(next_cursor === null ? {} : { nextCursor: next_cursor }),
    resources: [
      ...runbooks.map(({ domain, source, title }) => ({
        uri: runbookUri(source),
        name: source,
        title: agentText(title),
        description: `Runbook for ${domain}`,
        mimeType: MARKDOWN,
      })),
      ...incidents.map(({ id, title, status, target, created_at }) => ({
        uri: incidentUri(id),
        name: `incident ${id}`,
        title: agentText(title),
        description: `Incident${target === null ? "" : ` on ${agentText(target)}`}, ${status}, reported ${created_at}`,
        mimeType: MARKDOWN,
      })),
    ],
  };
}

/** @param source with its domain: `postgres/slots.md` */
function runbookUri(source: string): string {
  return `dejavu://runbooks/${source.split("/").map(encodeURIComponent).join("/")}`;
}

function incidentUri(id: string): string {
  return `dejavu://incidents/${id}`;
}

export function incidentLink(id: string, title: string): ResourceLink {
  return { type: "resource_link", uri: incidentUri(id), name: `incident ${id}`, title, mimeType: MARKDOWN };
}

export function runbookLink(source: string, title: string): ResourceLink {
  return { type: "resource_link", uri: runbookUri(source), name: source, title, mimeType: MARKDOWN };
}

/** @throws RpcError for an unknown URI @throws DependencyError */
export async function readResource(services: Services, uri: string): Promise<ReadResourceResult> {
  const text = await textAt(services, uri);
  if (text !== null) return { contents: [{ uri, mimeType: MARKDOWN, text: agentText(text) }] };
  throw new RpcError(
    "invalidParams",
    "No resource has this URI. List resources with resources/list. URIs are dejavu://runbooks/{domain}/{source} and dejavu://incidents/{id}.",
  );
}

async function textAt({ database }: Services, uri: string): Promise<string | null> {
  const [, incidentId] = INCIDENT_URI.exec(uri) ?? [];
  if (incidentId !== undefined) {
    const incident = z.uuid().safeParse(incidentId).success ? await getIncident(database, incidentId) : null;
    return incident && incidentText(incident);
  }
  const [, domainPart = "", path = ""] = RUNBOOK_URI.exec(uri) ?? [];
  const domain = domainNameSchema.safeParse(domainPart).data;
  const source = decodeSource(path);
  if (domain === undefined || source === null) return null;
  const runbook = await getText(database, textId(runbookName(domain, source)), RUNBOOKS);
  return runbook && wholeText(runbook);
}

/** Decodes a source in a URI; null if it is malformed. */
function decodeSource(part: string): string | null {
  try {
    const source = decodeURIComponent(part);
    return source.includes("\0") ? null : source;
  } catch {
    return null;
  }
}

/** Completes the domain in a runbook's URI. */
export async function complete(
  services: Services,
  { ref, argument }: CompleteRequest["params"],
): Promise<CompleteResult> {
  const isDomain = ref.type === "ref/resource" && argument.name === "domain";
  const names = isDomain ? [...(await domainCatalog(services)).domains.keys()] : [];
  const values = names.filter((name) => name.startsWith(argument.value));
  // The protocol allows 100 values.
  const shown = values.slice(0, MAX_COMPLETIONS);
  return { completion: { values: shown, total: values.length, hasMore: shown.length < values.length } };
}
