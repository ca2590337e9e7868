// Incidents for the list of the console: a page full of them, in all states.

import type { Stack } from "../../dev/stack/stack.ts";

const TITLES = [
  "PostgreSQL FATAL: sorry, too many clients already",
  "api-gateway docker container exited with code 137",
  "Pod stuck in CrashLoopBackOff",
  "deadlock detected while updating orders",
  "No space left on device",
] as const;
const COUNT = 40;

/** Triages incidents and resolves each fourth. */
export async function fillIncidents({ info }: Stack): Promise<void> {
  const post = async (path: string, body: object): Promise<unknown> => {
    const response = await fetch(new URL(path, info.urls.worker), {
      method: "POST",
      headers: { authorization: `Bearer ${info.token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} ended with status ${response.status}: ${await response.text()}`);
    return response.json();
  };
  for (let i = 0; i < COUNT; i++) {
    const title = TITLES[i % TITLES.length] ?? "";
    const result = await post("/v1/triage", {
      title,
      target: `service-${i}`,
      severity: i % 3 === 0 ? "critical" : "medium",
    });
    const id =
      typeof result === "object" && result !== null && "incident_id" in result ? String(result.incident_id) : "";
    if (i % 4 === 0) await post(`/v1/incidents/${id}/resolve`, { resolution: `Rolled release ${i} back` });
  }
}
