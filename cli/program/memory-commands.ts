// Commands about memory: import, lists, search, and corrections.

import { FORMAT_NAMES } from "../import/formats/format.ts";
import { addCommand, addGroup, choice, type Parent, pageOptions, repeated } from "./command-builder.ts";

export function addMemoryCommands(parent: Parent): void {
  addImport(parent);
  const memory = addGroup(parent, { name: "memory", description: "look at memory, and correct it" });
  addMemoryLists(memory);
  addMemoryRecords(memory);
  addCorrections(memory);
}

function addImport(parent: Parent): void {
  addCommand(parent, {
    usage: "import <path>",
    description: "make past incidents of an export of PagerDuty, Opsgenie or Jira, a CSV or postmortems",
    define: (command) =>
      command
        .option("--dry-run", "store nothing; show what would be learned and what is refused")
        .addOption(choice("--format <name>", "the format of the files; recognised by default", FORMAT_NAMES))
        .option("--fix <name>", "the column, field or heading that says what fixed it")
        .addOption(repeated("--map <field=column>", "a column of a CSV of your own; repeatable"))
        .addOption(choice("--dates <order>", "what comes first in 03/04/2025, the day or the month", ["dmy", "mdy"]))
        .option("--domain <name>", "the technology or team of all of them")
        .option("--system <name>", "the name of their system, if you have two of one kind"),
    notes:
      "Takes a JSON or CSV file, a Markdown file, or a folder of these. May be repeated: an incident is stored once. Fields of --map: id, title, description, target, severity, opened, resolved, fix, by, url.",
    examples: [
      "dejavu import incidents.json --dry-run",
      'dejavu import jira.csv --fix "Custom field (Resolution notes)"',
      "dejavu import postmortems/ --domain checkout-team",
      'dejavu import outages.csv --map title=Outage --map opened=Began --map fix="What we did" --dates dmy',
    ],
    load: () => import("../commands/import.ts").then(({ run }) => run),
  });
}

function addMemoryLists(memory: Parent): void {
  addCommand(memory, {
    usage: "list",
    description: "list observations, last seen first",
    define: (command) => pageOptions(command).option("--domain <name>", "only this technology or team"),
    examples: ["dejavu memory", "dejavu memory list --domain docker --limit 50"],
    load: () => import("../commands/memory/memory-lists.ts").then(({ observations }) => observations),
  });
  addCommand(memory, {
    usage: "past-answers",
    description: "list past answers, newest first",
    define: (command) =>
      pageOptions(command)
        .option("--domain <name>", "only this technology or team")
        .option("--session <id>", "only this session"),
    examples: ["dejavu memory past-answers --session on-call"],
    load: () => import("../commands/memory/memory-lists.ts").then(({ pastAnswers }) => pastAnswers),
  });
  addCommand(memory, {
    usage: "sessions",
    description: "list sessions with past answers",
    define: pageOptions,
    examples: ["dejavu memory sessions"],
    load: () => import("../commands/memory/memory-lists.ts").then(({ sessions }) => sessions),
  });
  addCommand(memory, {
    usage: "procedures",
    description: "list approaches, last used first",
    define: (command) => pageOptions(command).option("--domain <name>", "only this technology or team"),
    examples: ["dejavu memory procedures"],
    load: () => import("../commands/memory/memory-lists.ts").then(({ procedures }) => procedures),
  });
  addCommand(memory, {
    usage: "outbox",
    description: "list pending index writes",
    define: pageOptions,
    examples: ["dejavu memory outbox"],
    load: () => import("../commands/memory/memory-lists.ts").then(({ outbox }) => outbox),
  });
}

function addMemoryRecords(memory: Parent): void {
  addCommand(memory, {
    usage: "show <id>",
    description: "show a record: its fixes and incidents, and why it is as it is",
    examples: ["dejavu memory show 3f2a"],
    load: () => import("../commands/memory/memory-records.ts").then(({ show }) => show),
  });
  addCommand(memory, {
    usage: "search <text...>",
    description: "show what a query recalls, with the parts of each score",
    define: (command) =>
      command
        .option("--domain <name>", "only this technology or team")
        .option("--session <id>", "ranks past answers of this session higher"),
    examples: ['dejavu memory search "gateway killed, exit code 137"'],
    load: () => import("../commands/memory/memory-records.ts").then(({ search }) => search),
  });
}

function addCorrections(memory: Parent): void {
  addCommand(memory, {
    usage: "split <id> <incident...>",
    description: "give incidents of another failure a record of their own",
    define: (command) => command.option("--reason <text>", "why; kept with the judgement"),
    examples: ['dejavu memory split 3f2a 9b2f --reason "The disk was full."'],
    load: () => import("../commands/memory/memory-corrections.ts").then(({ split }) => split),
  });
  addCommand(memory, {
    usage: "join <id> <other>",
    description: "join two records of one failure; the other one is deleted",
    define: (command) => command.option("--reason <text>", "why; kept with the judgement"),
    examples: ["dejavu memory join 3f2a c41d"],
    load: () => import("../commands/memory/memory-corrections.ts").then(({ join }) => join),
  });
  addCommand(memory, {
    usage: "review <id> <score>",
    description: 'rank a record higher or lower: -1 to 2, or "none"',
    notes: 'A negative score follows "--".',
    examples: ["dejavu memory review 3f2a 1.5", "dejavu memory review 3f2a -- -1"],
    load: () => import("../commands/memory/memory-corrections.ts").then(({ review }) => review),
  });
  addCommand(memory, {
    usage: "rm <kind> <id>",
    description: "delete a record, with all that is derived from it",
    define: (command) => {
      command.registeredArguments[0]?.choices(["incident", "observation", "past-answer", "procedure", "session"]);
      return command.option("--yes", "do not ask");
    },
    notes: "Needs a token with the scope admin.",
    examples: ["dejavu memory rm observation 3f2a", "dejavu memory rm session on-call --yes"],
    load: () => import("../commands/memory/memory-records.ts").then(({ remove }) => remove),
  });
}
