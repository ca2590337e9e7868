// Import of incidents of other systems: each becomes a past incident with its fix. No model is called, and nothing is
// investigated or announced.

import { loggedLines } from "../../../lib/logs/logged-lines.ts";
import type { RunInBackground } from "../../background-tasks.ts";
import { DependencyError } from "../../dependencies.ts";
import { createIncident } from "../../incidents/create-incident.ts";
import { foreignDomainOf } from "../../incidents/foreign-domain.ts";
import {
  findImported,
  type ImportedIncident,
  importedId,
  recordImport,
  type StoredImport,
} from "../../incidents/import-records.ts";
import { domainCatalog } from "../../knowledge/domain-store.ts";
import { benignReason } from "../../knowledge/domains/benign-alerts.ts";
import type { DomainCatalog } from "../../knowledge/domains/domain-catalog.ts";
import { recordedText } from "../../memory/fixes.ts";
import type { Observation } from "../../memory/observation.ts";
import type { Incident, Severity } from "../../schemas/incident.ts";
import { claimUntil, flushOutbox } from "../../search-index/flush-outbox.ts";
import type { InvestigationServices } from "../run/investigation-services.ts";
import { unansweredUpdate } from "./stored-report.ts";

/** A resolved incident as another system has it. */
export interface OriginalIncident {
  /** Its id there. */
  readonly id: string;
  readonly url: string | null;
  readonly title: string;
  readonly description: string | null;
  readonly target: string | null;
  readonly severity: Severity | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly openedAt: Date;
  readonly resolvedAt: Date;
  readonly fix: string;
  readonly fixedBy: string | null;
}

export interface ImportRequest {
  /** The system. Together with its id, it identifies an incident. */
  readonly from: string;
  readonly incidents: readonly OriginalIncident[];
  readonly isDryRun: boolean;
  readonly caller: { readonly id: string; readonly owner: string };
}

export interface HandledImport {
  readonly id: string;
  /** Its id here; null if it is refused. */
  readonly incidentId: string | null;
  /** `new`: it would be imported. `present`: it is stored already, or its webhook reported it. */
  readonly state: "imported" | "new" | "present" | "refused";
  /** Why it is refused. */
  readonly reason: string | null;
  /** Null unless it is imported now or would be. */
  readonly domain: { readonly name: string; readonly rule: string } | null;
}

/** The results are in the order of the request. @throws DependencyError; repeat the request then: what is stored stays */
export async function importIncidents(
  services: InvestigationServices,
  request: ImportRequest,
  runInBackground: RunInBackground,
): Promise<HandledImport[]> {
  const { from, isDryRun, caller } = request;
  const originals = request.incidents.map((original) => ({ original, id: importedId(from, original.id) }));
  const matches = await findImported(services.database, {
    from,
    owner: caller.owner,
    incidents: originals.map(({ original, id }) => ({ id, originalId: original.id })),
  });
  const catalog = await domainCatalog(services);
  const handled: HandledImport[] = [];
  const drafts: Draft[] = [];
  const ids = new Set<string>();
  for (const { original, id } of originals) {
    const state = ids.has(id) ? PRESENT : await stateOf(services, original, matches.get(id));
    ids.add(id);
    const draft = state === null ? draftOf(services, original, { id, request, catalog }) : null;
    if (draft !== null) drafts.push(draft);
    handled.push({
      id: original.id,
      incidentId: state?.state === "refused" ? null : (matches.get(id)?.incident_id ?? id),
      ...(state ?? { state: isDryRun ? "new" : "imported", reason: null }),
      domain: draft && { name: draft.incident.domain.name, rule: draft.incident.domain.rule },
    });
  }
  if (!isDryRun) await store(services, drafts, runInBackground);
  const count = (state: HandledImport["state"]) => handled.filter((each) => each.state === state).length;
  services.log("info", "incidents.imported", {
    from,
    received: handled.length,
    imported: count("imported"),
    present: count("present"),
    refused: count("refused"),
  });
  return handled;
}

const PRESENT = { state: "present", reason: null } as const;

/** Null for an incident to import. */
async function stateOf(
  services: InvestigationServices,
  { title, labels, resolvedAt }: OriginalIncident,
  match: StoredImport | undefined,
): Promise<Pick<HandledImport, "state" | "reason"> | null> {
  const refused = (reason: string) => ({ state: "refused", reason }) as const;
  if (match?.is_deleted) return refused("was deleted here");
  if (match && match.incident_id !== null) return PRESENT;
  if (resolvedAt > services.now()) return refused("ends in the future");
  const benign = benignReason(title, labels);
  if (benign !== undefined) return refused(`is no incident: ${benign}`);
  const foreign = await foreignDomainOf(services, labels);
  return foreign === null ? null : refused(`belongs to the domain ${foreign.name}, which is not the token's`);
}

type Draft = Omit<ImportedIncident, "isLatest" | "update">;

function draftOf(
  { guard, newId, now }: InvestigationServices,
  original: OriginalIncident,
  { id, request, catalog }: { readonly id: string; readonly request: ImportRequest; readonly catalog: DomainCatalog },
): Draft {
  const { title, description, target, severity, labels, openedAt, resolvedAt, fixedBy } = original;
  const { request: guarded, findings } = guard.request({
    title,
    labels,
    logs: description ?? undefined,
    target: target ?? undefined,
    severity: severity ?? undefined,
    reportedBy: request.caller.id,
  });
  // Prose would count as a log: its words would choose the domain, and make repeats differ.
  const logs = loggedLines(guarded.logs ?? "") ?? undefined;
  const incident: Incident = { ...createIncident({ ...guarded, logs }, { catalog, now: openedAt, newId }), id };
  return {
    incident,
    resolvedAt,
    fix: {
      id: newId(),
      text: guard.text(original.fix),
      by: fixedBy === null ? null : guard.text(fixedBy),
      conditions: null,
      fixId: null,
      // Each fix is of another person: a later one is no correction of it.
      author: { caller: `imported:${id}`, isAdmin: false },
    },
    scrubbed: { lines_removed: findings.lines_removed, redacted: { ...findings.redacted } },
    imported: {
      from: request.from,
      id: guard.text(original.id),
      url: original.url === null ? null : guard.text(original.url),
      description: guarded.logs ?? null,
      at: now().toISOString(),
    },
  };
}

/** Repeats within the batch change the record that the next one joins, so each gets a call of its own; others share one. */
async function store(
  services: InvestigationServices,
  drafts: readonly Draft[],
  runInBackground: RunInBackground,
): Promise<void> {
  const records = new Map<string, Observation | null>();
  // Each call stores at least the first repeat of each failure; concurrent changes of their records are few.
  const maxCalls = 2 * drafts.length + 1;
  let open = drafts;
  for (let calls = 1; open.length > 0; calls++) {
    const incidents = open.map((draft): ImportedIncident => withUpdate(services, draft, records));
    const { results, pending } = await recordImport(services.database, {
      now: services.now(),
      claimUntil: claimUntil(services),
      incidents,
    });
    if (pending.length > 0) runInBackground(flushOutbox(services, pending));
    const changed = new Map(
      results.flatMap((each) => (each.state === "changed" ? [[each.id, each.observation] as const] : [])),
    );
    for (const [id, observation] of changed) records.set(id, observation);
    open = open.filter(({ incident }) => changed.has(incident.id));
    if (calls === maxCalls && open.length > 0)
      throw new DependencyError("database", "busy", `records changed during each of ${calls} attempts`);
  }
}

function withUpdate(
  { now, config }: InvestigationServices,
  draft: Draft,
  records: ReadonlyMap<string, Observation | null>,
): ImportedIncident {
  const { incident, fix, imported, resolvedAt } = draft;
  const existing = records.get(incident.id) ?? null;
  const own = unansweredUpdate(incident, imported, { now: now(), config });
  const isLatest = existing === null || existing.resolution === null || existing.resolution.at < resolvedAt;
  const base = existing ?? own.observation;
  const resolution = { text: recordedText(base.fixes, fix), by: fix.by, at: resolvedAt };
  return {
    ...draft,
    isLatest,
    update: { ...own, observation: isLatest ? { ...base, resolution } : base, replaces: existing },
  };
}
