// The systems that Dejavu depends on, by role. A vendor's name is a field of its role in `GET /health/ready`.

/** Dependencies that an answer is made with. */
export const ANSWER_DEPENDENCIES = [
  "database",
  "vector_store",
  "embedder",
  "reranker",
  "language_model",
  "evidence_source",
] as const;
export type AnswerDependency = (typeof ANSWER_DEPENDENCIES)[number];

export type Dependency =
  | AnswerDependency
  | "alert_sender"
  | "chat"
  | "notification_target"
  | "trace_collector"
  | "trace_server";

const NAMES: Readonly<Record<Dependency, string>> = {
  database: "the database",
  vector_store: "the vector store",
  embedder: "the embedding service",
  reranker: "the reranker",
  language_model: "the language model",
  evidence_source: "a source of evidence",
  alert_sender: "the sender of the alerts",
  chat: "the chat service",
  notification_target: "a notification target",
  trace_collector: "the trace collector",
  trace_server: "the trace server",
};

/** The names of dependencies for people: "the database and the vector store". */
export function describeDependencies(dependencies: readonly Dependency[]): string {
  return [...new Set(dependencies)].map((dependency) => NAMES[dependency]).join(" and ");
}
