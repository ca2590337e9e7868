// Commands about runbooks and domains.

import type { ExportOptions } from "../commands/runbooks/runbooks-export.ts";
import { addCommand, addGroup, type Parent, pageOptions, repeated } from "./command-builder.ts";

export function addKnowledgeCommands(parent: Parent): void {
  addCommand(parent, {
    usage: "search <text...>",
    description: "search runbooks as a triage does, and show why each was found; nothing is stored",
    define: (command) =>
      command
        .option("--domain <name>", "only this technology or team")
        .option("--limit <n>", "hits, 1 to 50; 5 by default"),
    examples: ['dejavu search "sorry, too many clients already"', 'dejavu search "queue grows" --domain payments'],
    load: () => import("../commands/search.ts").then(({ run }) => run),
  });
  addRunbooks(
    addGroup(parent, { name: "runbooks", description: "add, list, show, check, export and remove runbooks" }),
  );
  addDomains(addGroup(parent, { name: "domains", description: "list, show, add and remove technologies and teams" }));
}

function addRunbooks(runbooks: Parent): void {
  addCommand(runbooks, {
    usage: "add <path>",
    description: "add or update runbooks: a Markdown file, or a folder",
    define: (command) =>
      command
        .option("--domain <name>", "technology or team of a single file")
        .option("--prune", "also remove texts of the folder's domains that the folder does not hold")
        .option("--yes", "with --prune: do not ask"),
    notes:
      "A folder with Markdown files is one domain of the folder's name; otherwise each of its folders is one. A domain.yaml describes its domain; its folders notes, logs and postmortems hold documents, whose age counts from a date at the start of the file name (2026-03-01-orders.md) or in the front matter (date:). Needs a token with the scope ingest; --prune also needs read. Repeat it as often as you like.\n\n--prune lists what it removes and asks first: also texts that were written in the console. Built-in runbooks and other domains stay.",
    examples: [
      "dejavu runbooks add ./runbooks",
      "dejavu runbooks add ./runbooks --prune --yes",
      "dejavu runbooks add payments-declined.md --domain payments",
      "dejavu runbooks add ./runbooks --json",
    ],
    load: () => import("../commands/runbooks/runbooks-add.ts").then(({ run }) => run),
  });
  addCommand(runbooks, {
    usage: "check <path>",
    description: "check a folder of runbooks, or one file: front matter, layout, sections, commands, evidence checks",
    define: (command) =>
      command
        .option("--run", "also run each evidence check once against the sources of a service")
        .addOption(
          repeated("--label <name=value>", "with --run: a label of an alert that scopes the checks; repeat it"),
        )
        .option("--domain <name>", "with --run: the technology or team of a single file"),
    notes:
      "Needs no service without --run. With it, each check asks the source that a triage would ask, through POST /v1/sources/{name}/try; the token needs the scope ingest or admin.",
    examples: [
      "dejavu runbooks check ./runbooks",
      "dejavu runbooks check ./runbooks --json",
      "dejavu runbooks check ./runbooks --run --label instance=db-1:9187 --label namespace=shop",
    ],
    load: () => import("../commands/runbooks/runbooks-check.ts").then(({ run }) => run),
  });
  addCommand<ExportOptions>(runbooks, {
    usage: "export",
    description: "write the runbooks as skills of an agent: a folder with a SKILL.md each",
    define: (command) =>
      command
        .requiredOption("--skills <folder>", "where the skills go")
        .option("--domain <name>", "of this technology or team")
        .option("--force", "replace skills that have another text"),
    notes: "The description of a skill is the title of its runbook with the first paragraph.",
    examples: ["dejavu runbooks export --skills .claude/skills --domain payments"],
    load: () => import("../commands/runbooks/runbooks-export.ts").then(({ exportSkills }) => exportSkills),
  });
  addCommand(runbooks, {
    usage: "list",
    description: "list runbooks by name",
    define: (command) => pageOptions(command).option("--domain <name>", "of this technology or team"),
    examples: ["dejavu runbooks list --domain payments"],
    load: () => import("../commands/runbooks/runbooks.ts").then(({ list }) => list),
  });
  addCommand(runbooks, {
    usage: "show <source>",
    description: "print a runbook",
    examples: ["dejavu runbooks show payments/declined.md"],
    load: () => import("../commands/runbooks/runbooks.ts").then(({ show }) => show),
  });
  addCommand(runbooks, {
    usage: "rm <source>",
    description: "remove a runbook",
    examples: ["dejavu runbooks rm payments/declined.md"],
    load: () => import("../commands/runbooks/runbooks.ts").then(({ remove }) => remove),
  });
}

function addDomains(domains: Parent): void {
  addCommand(domains, {
    usage: "list",
    description: "list domains, with the number of their texts and incidents",
    define: pageOptions,
    examples: ["dejavu domains list"],
    load: () => import("../commands/domains.ts").then(({ list }) => list),
  });
  addCommand(domains, {
    usage: "show <name>",
    description: "show the definition of a domain",
    examples: ["dejavu domains show payments"],
    load: () => import("../commands/domains.ts").then(({ show }) => show),
  });
  addCommand(domains, {
    usage: "add <name> <file>",
    description: "define a domain by a domain.yaml, or replace its definition",
    examples: ["dejavu domains add payments ./runbooks/payments/domain.yaml"],
    load: () => import("../commands/domains.ts").then(({ add }) => add),
  });
  addCommand(domains, {
    usage: "rm <name>",
    description: "remove a domain; its incidents and their memory stay",
    define: (command) =>
      command.option("--force", "with its runbooks and documents").option("--yes", "with --force: do not ask"),
    examples: ["dejavu domains rm payments", "dejavu domains rm payments --force --yes"],
    load: () => import("../commands/domains.ts").then(({ remove }) => remove),
  });
}
