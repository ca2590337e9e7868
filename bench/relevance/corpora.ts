// Corpora for the relevance model: runbooks, and reports with the runbooks that are right for them.

import { basename, join } from "node:path";
import type { TriageRequest } from "../../functions/incidents/create-incident.ts";
import { reportOfAlert } from "../../functions/incidents/ingest-alerts.ts";
import { alertmanager } from "../../functions/incidents/webhooks/alertmanager.ts";
import { GRADES, SEED_QUERIES } from "../../tests/integration/support/seed-queries.ts";
import { readAlerts, readDataSet } from "../retrieval/data-set.ts";
import { EQUIVALENTS } from "../retrieval/equivalents.ts";
import { evidenceReportSchema } from "../support/evidence-reports.ts";
import { readCorpus } from "../support/json-lines.ts";

export interface Report {
  readonly id: string;
  /** How it is asked: `words`, `label` (the alert's name is a label), `title` (it is in the title), `other name`, `logs`, `question`, `evidence`, `headline`. */
  readonly form: string;
  /** What a careful engineer would say while the runbook is stored. */
  readonly outcome: "cause" | "benign" | "unknown";
  readonly request: TriageRequest;
  /** Sources of the runbooks that answer the report; empty when none does. */
  readonly right: readonly string[];
  /** The source that is taken away to ask the report without it; null when nothing is. */
  readonly own: string | null;
}

export interface Corpus {
  readonly name: string;
  /** The domain of the runbooks, a team's without a `domain.yaml`; null for the runbooks that ship. */
  readonly domain: string | null;
  readonly runbooks: readonly { readonly path: string; readonly text: string }[];
  readonly reports: readonly Report[];
}

const OTHER_NAME_WORDS = 4;
/** Titles that say nothing about the failure. */
const VAGUE_TITLES = [
  "Service availability disruption",
  "Alert on production",
  "Please take a look",
  "Something is wrong",
];

/**
 * A folder with `alerts.json` and `runbooks/`. Each alert is asked as Alertmanager sends it, with its name and with one that no
 * runbook has; as people write it down, without its name, with it as a label and in the title; and as a log under a vague title.
 */
export async function alertCorpus(folder: string): Promise<Corpus> {
  const name = basename(folder);
  const paths = { alertsFile: join(folder, "alerts.json"), runbooksFolder: join(folder, "runbooks") };
  const { runbooks, questions } = await readDataSet(paths);
  const sent = new Map((await readAlerts(paths.alertsFile)).map((each) => [each.alert, each]));
  const domain = `team-${name}`;
  const reports = questions.flatMap(({ alert, text, runbook }, i): Report[] => {
    const own = `${domain}/${runbook}.md`;
    const right = [own, ...(EQUIVALENTS[runbook] ?? []).map((shipped) => `${shipped}.md`)];
    const [summary = "", ...rest] = text.split("\n");
    const question = rest.join("\n").trim() === "" ? {} : { question: rest.join("\n").trim() };
    const title = summary === "" ? alert : summary;
    const other = otherName(title);
    const annotations = sent.get(alert) ?? { summary, description: rest.join("\n"), severity: "" };
    const requests: [string, TriageRequest][] = [
      ["words", { title, ...question }],
      ["label", { title, ...question, labels: { alertname: alert } }],
      ["title", { title: `${alert}: ${title}`, ...question }],
      ["logs", { title: VAGUE_TITLES[i % VAGUE_TITLES.length] ?? alert, logs: text }],
      ["sent", alertAsSent(alert, annotations)],
      ["sent, other name", alertAsSent(other === "" ? "Watch" : other, annotations)],
    ];
    return requests.map(([form, request]) => ({
      id: `${name}/${i}-${alert}/${form}`,
      form,
      outcome: "cause",
      request,
      right,
      own,
    }));
  });
  return {
    name,
    domain,
    runbooks: runbooks.map(({ source, markdown }) => ({ path: source, text: markdown })),
    reports,
  };
}

/** Values of the labels that alerts of these corpora use in their texts. */
const LABEL_VALUES: Readonly<Record<string, string>> = {
  namespace: "shop",
  pod: "checkout-7c9f8d6b5-x2x4z",
  container: "checkout",
  node: "worker-3",
  instance: "10.0.3.17:9100",
  job: "checkout",
  device: "nvme0n1",
  mountpoint: "/var/lib/data",
  deployment: "checkout",
  service: "checkout",
  cluster: "production",
};
const PLACEHOLDER = /\{\{-?\s*(.*?)\s*-?\}\}/gs;

/** The report that the webhook of Alertmanager makes of an alert, its placeholders filled as Prometheus fills them. */
function alertAsSent(
  alertname: string,
  {
    summary,
    description,
    severity,
  }: { readonly summary: string; readonly description: string; readonly severity: string },
): TriageRequest {
  const names = [...`${summary}\n${description}`.matchAll(/\$?labels\.(\w+)/gi)].map(([, label = ""]) => label);
  const filled = (label: string) => LABEL_VALUES[label] ?? `${label}-1`;
  const fill = (text: string) =>
    text.replace(PLACEHOLDER, (_, expression: string) => {
      const label = /labels\.(\w+)/i.exec(expression)?.[1];
      return label === undefined ? "93.4" : filled(label);
    });
  const labels = Object.fromEntries([...new Set(["namespace", ...names])].map((label) => [label, filled(label)]));
  const { toAlerts, schema } = alertmanager;
  const payload = schema.parse({
    version: "4",
    groupKey: "{}",
    alerts: [
      {
        status: "firing",
        labels: { alertname, severity, ...labels },
        annotations: { summary: fill(summary), description: fill(description) },
      },
    ],
  });
  const receivedAt = new Date(0);
  const [alert] = toAlerts(payload, { receivedAt, targetOf: () => null }).alerts;
  if (alert === undefined) throw new Error(`${alertname} is no valid alert.`);
  return reportOfAlert(alert);
}

/** A name as another author might choose it: the first words of the summary. */
function otherName(title: string): string {
  const words = title.match(/[A-Za-z]{2,}/g) ?? [];
  return words
    .slice(0, OTHER_NAME_WORDS)
    .map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)
    .join("");
}

/** The graded questions about the runbooks that ship. */
export function shippedCorpus(): Corpus {
  const reports = GRADES.flatMap((grade) =>
    SEED_QUERIES[grade].map(
      ({ question, runbook }, i): Report => ({
        id: `shipped/${grade}-${i}`,
        form: "question",
        outcome: "cause",
        request: { ...question },
        right: [runbook],
        own: runbook,
      }),
    ),
  );
  return { name: "shipped", domain: null, runbooks: [], reports };
}

/** Reports with attached evidence about the runbooks that ship, and about none: these are asked by their headline alone, too. */
export function evidenceCorpus(set: string, folder: string): Corpus {
  const reports = readCorpus(folder, evidenceReportSchema).flatMap(({ id, request, runbooks, outcome }): Report[] => {
    const own = runbooks.length === 1 ? (runbooks[0] ?? null) : null;
    const report = { id: `evidence/${id}`, form: "evidence", outcome, request, right: runbooks, own };
    const { logs: _, ...headline } = request;
    const alone = { ...report, id: `${report.id}/headline`, form: "headline", request: headline };
    return runbooks.length === 0 ? [report, alone] : [report];
  });
  return { name: `evidence-${set}`, domain: null, runbooks: [], reports };
}
