// The pages of the site in reading order. A test compares the list with the files.

export interface Section {
  readonly title: string;
  /** Below `docs`. */
  readonly folder: string;
  /** File names without `.md`. */
  readonly pages: readonly string[];
}

export const SECTIONS: readonly Section[] = [
  { title: "Tutorial", folder: "tutorial", pages: ["1-first-answer", "2-own-runbook", "3-first-alert", "4-check"] },
  {
    title: "Bring incidents",
    folder: "guides",
    pages: ["alerts", "slack", "notifications", "agents", "api", "command-line", "console", "changes", "input"],
  },
  {
    title: "Add knowledge",
    folder: "guides",
    pages: [
      "runbooks",
      "domains",
      "evidence",
      "evidence-kubernetes",
      "evidence-postgresql",
      "memory",
      "import",
      "models",
    ],
  },
  {
    title: "Operate",
    folder: "guides",
    pages: [
      "install",
      "deploy",
      "upgrade",
      "backup",
      "tokens",
      "security",
      "observability",
      "troubleshooting",
      "wrong-answers",
      "evaluation",
    ],
  },
  {
    title: "Reference",
    folder: "reference",
    pages: ["settings", "api", "mcp", "domain", "checks", "sql", "metrics", "log-events", "traces", "glossary"],
  },
  {
    title: "Explanation",
    folder: "explanation",
    pages: ["answers", "confidence", "words-and-meaning", "costs", "compare"],
  },
  {
    title: "For developers",
    folder: "internals",
    pages: [
      "architecture",
      "retrieval",
      "embedder",
      "relevance",
      "investigation",
      "live-evidence",
      "memory",
      "console",
      "performance",
      "scale",
      "testing",
      "release",
      "extend",
    ],
  },
];
