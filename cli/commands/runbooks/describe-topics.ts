// What `dejavu runbooks check` says about the failures that runbooks describe.

import type { TextTopic } from "../../../functions/knowledge/runbook-text/text-topics.ts";
import type { TopicsInFile } from "../../check-runbooks.ts";
import { printable } from "../../service/problem-error.ts";

/** One runbook in full; of several, those about several failures, and the number of the others. */
export function describeTopics(runbooks: readonly TopicsInFile[]): string[] {
  const filled = runbooks.filter(({ topics }) => topics.length > 0);
  const several = filled.filter(({ topics }) => topics.length > 1);
  const [first] = filled;
  const [only] = first?.topics ?? [];
  if (first && only && filled.length === 1 && several.length === 0)
    return [printable(`One failure: ${first.title} (${rolesOf(only)})`)];
  const others = filled.length - several.length;
  return [
    ...several.flatMap(describeSeveral),
    ...(others === 0 ? [] : [`One failure in ${others === 1 ? "1 runbook" : `each of ${others} runbooks`}.`]),
  ];
}

function describeSeveral({ file, title, topics, overview }: TopicsInFile): string[] {
  const parts = overview.map(
    ({ line, heading }) => `${heading === "" ? "the opening" : `"${heading}"`} (line ${line})`,
  );
  return [
    `${file}: Several failures: ${topics.length} topics`,
    ...topics.map((topic) => `  ${describeTopic(topic, title)}`),
    ...(parts.length === 0 ? [] : [`  Overview only: ${printable(parts.join(", "))}`]),
  ];
}

function describeTopic(topic: TextTopic, title: string): string {
  const { headingPath, anchor, line } = topic;
  const name = anchor === null ? title : `${headingPath.join(" › ")} #${anchor}`;
  return printable(`line ${line}: ${name} (${rolesOf(topic)})`);
}

function rolesOf({ roles, missing }: TextTopic): string {
  if (roles.length === 0) return "no sections with a role: its instructions are the steps";
  return `${roles.join(", ")}${missing.length === 0 ? "" : `; missing: ${missing.join(", ")}`}`;
}
