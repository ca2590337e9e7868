// Reports of a container that was killed, and a domain of a team.

export const KILLED = {
  title: "api-gateway container exited with code 137",
  target: "api-gateway",
  severity: "high",
  session_id: "on-call",
  labels: { container_runtime: "docker" },
  logs: "Memory cgroup out of memory: Killed process 4711 (node)",
};

export const PAYMENTS = {
  description: "The payment services.",
  labels: [{ match: { team: ["payments", "billing"], env: ["prod"] }, weight: 3 }],
  hints: [{ words: ["card processor"], pattern: "\\bPAY-[0-9]{4}\\b", weight: 2 }],
  excluded_words: ["stripe"],
  only_when_decided: false,
  target_labels: ["service"],
  incident_types: [{ name: "processor_declines", hints: [{ words: ["declined by processor"], weight: 3 }] }],
  first_looks: [{ text: "See the deployments.", command: "kubectl -n payments rollout history deployment" }],
};
