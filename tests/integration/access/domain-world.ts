// Two domains with the same records, written with the service token, and a token that is restricted to one of them.

import { z } from "zod";
import { SCOPES } from "../../../functions/access/caller.ts";
import { triageResultSchema } from "../../../functions/schemas/triage-result.ts";
import { type Harness, sql } from "../support/harness.ts";
import { bearer, type Created, makeToken } from "../support/tokens.ts";

export const OWN = "shop";
export const FOREIGN = "payments";

/** The records of one domain. Every text of them holds the word. */
export interface DomainRecords {
  readonly domain: string;
  readonly word: string;
  readonly incident: string;
  readonly triage: string;
  readonly document: string;
  readonly procedure: string;
  readonly token: string;
  readonly mute: string;
}

export interface World {
  readonly own: DomainRecords;
  readonly foreign: DomainRecords;
  /** All scopes, restricted to the own domain. */
  readonly token: Created;
}

export async function createWorld(harness: Harness): Promise<World> {
  const own = await plant(harness, OWN, "lantern");
  const foreign = await plant(harness, FOREIGN, "zanzibar");
  const token = await makeToken(harness, SCOPES, { name: "restricted", domains: [OWN] });
  return { own, foreign, token };
}

async function plant(harness: Harness, domain: string, word: string): Promise<DomainRecords> {
  const send = async (path: string, init: RequestInit) => {
    const response = await harness.request(path, init);
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
    return response;
  };
  const json = (body: unknown, method = "POST") => ({
    method,
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
  const error = `ERROR ledger-${word} replication stalled with code E${word.length}77`;
  const runbook = `# Ledger ${word} stalls\n\n## Symptoms\n\n${error}\n\n## Causes\n\nThe ${word} volume is full.\n\n## Mitigate\n\nGrow the ${word} volume.\n`;
  await send(`/v1/runbooks/${domain}/ledger.md`, {
    method: "PUT",
    body: runbook,
    headers: { "content-type": "text/markdown" },
  });
  const note = {
    source: `${domain}/note`,
    text: `The ${word} volume filled on Monday: ${error}`,
    doc_type: "note",
    domain,
  };
  const stored = await (await send("/v1/documents", json(note))).json();
  const source = { kind: "prometheus", url: `http://127.0.0.1:9/${word}`, domains: [domain] };
  await send(`/v1/sources/${domain}`, json(source, "PUT"));
  const report = { title: `ledger-${word} stalled`, labels: { domain }, logs: error, session_id: `call-${domain}` };
  const result = triageResultSchema.parse(await (await send("/v1/triage", json(report))).json());
  const { incident_id, triage_id } = result;
  await send(`/v1/triages/${triage_id}/feedback`, json({ rating: "up", comment: `The ${word} runbook was right.` }));
  const resolution = { resolution: `Grew the ${word} volume.`, resolved_by: `dana-${word}` };
  await send(`/v1/incidents/${incident_id}/resolve`, json(resolution));
  await send("/v1/changes", json({ service: "ledger", title: `Grow the ${word} volume`, domain }));
  const target = {
    ...{ kind: "slack", options: { channel: "C024BE91L" }, credential: "NOTIFY_NOWHERE", domains: [domain] },
    ...{ matchers: [`word="${word}"`], min_severity: "critical" },
  };
  await send(`/v1/notifications/${domain}`, json(target, "PUT"));
  const soon = new Date(harness.clock.now().getTime() + 3_600_000);
  const mute = { incident_id, reason: `The ${word} migration`, ends_at: soon.toISOString() };
  const muted = await (await send("/v1/mutes", json(mute))).json();
  const procedure = harness.services.newId();
  await sql`insert into public.procedures (id, domain, query, query_hash, strategy, answer, confidence, created_at, last_used_at,
      decayed_until, metadata, content_hash)
    values (${procedure}, ${domain}, ${report.title}, ${harness.services.newId()}, 's', ${word}, 0.9, now(), now(), now(), '{}', 'h')`;
  const { id: token } = await makeToken(harness, ["read"], { name: `token of ${word}`, domains: [domain] });
  const { id: muteId } = z.object({ id: z.string() }).parse(muted);
  const { id: document } = z.object({ id: z.string() }).parse(stored);
  return { domain, word, incident: incident_id, triage: triage_id, document, procedure, token, mute: muteId };
}

/** The headers of a JSON request with the token. */
export function as({ token }: Created): Record<string, string> {
  return { ...bearer(token), "content-type": "application/json" };
}
