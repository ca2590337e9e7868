// A graded question, and the ways to write one.

export const GRADES = ["easy", "medium", "hard", "misspelt", "codes", "in passing", "trap"] as const;
export type Grade = (typeof GRADES)[number];

/** The report: the body of a triage request. */
export interface SeedQuestion {
  readonly title: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly logs?: string | undefined;
}

export interface SeedQuery {
  readonly question: SeedQuestion;
  /** The source of the runbook that is right. */
  readonly runbook: string;
}

/** `easy` names the symptom as the runbook does, `medium` in other words, `hard` by its consequences alone or in noise;
 * `codes` is an error code and nothing else; in a `trap` another domain's runbook fits better and the labels decide. */
export type GradedQueries = Readonly<Record<Grade, readonly SeedQuery[]>>;

/** Labels that decide for the domain, where it is not the label `domain`. */
const LABELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  docker: { container_runtime: "docker" },
  podman: { container_runtime: "podman" },
  kubernetes: { container_runtime: "kubernetes" },
  postgres: { source_type: "database" },
};

/** The label that names the domain. */
export function labelsOf(domain: string): Readonly<Record<string, string>> {
  return LABELS[domain] ?? { domain };
}

/** A question with nothing but its words. @param runbook its source without `.md` */
export function plain(runbook: string, title: string, logs?: string): SeedQuery {
  return { question: { title, logs }, runbook: `${runbook}.md` };
}

/** A question with the label that names its runbook's domain. @param runbook its source without `.md` */
export function labelled(runbook: `${string}/${string}`, title: string, logs?: string): SeedQuery {
  const domain = runbook.slice(0, runbook.indexOf("/"));
  return { question: { title, labels: labelsOf(domain), logs }, runbook: `${runbook}.md` };
}
