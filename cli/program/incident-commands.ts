// Commands about incidents: triage, ask, ack, comment, edit, merge, split, resolve, similar, list, show, feedback, postmortem, handover, stats.

import type { Command } from "commander";
import { INCIDENT_STATUSES, SEVERITIES } from "../../functions/schemas/incident-values.ts";
import { addCommand, choice, type Parent, pageOptions, repeated, WHO } from "./command-builder.ts";

const withReport = (command: Command) =>
  command
    .addOption(
      repeated("-f, --file <file>", "a file with a report, a log or an alert; - is standard input; repeatable"),
    )
    .option("--target <name>", "affected service, host or object")
    .addOption(choice("--severity <level>", "severity", SEVERITIES))
    .addOption(repeated("--label <key=value>", "a label of the alert; repeatable"));

export function addIncidentCommands(parent: Parent): void {
  addTriageCommands(parent);
  addEdits(parent);
  addOutcomeCommands(parent);
  addLookups(parent);
  addReports(parent);
}

function addTriageCommands(parent: Parent): void {
  addCommand(parent, {
    usage: "triage [text...]",
    description: "triage an incident: a text, standard input, a file or a pasted alert",
    define: (command) =>
      withReport(command)
        .option("--runbook <name>", "URL or path of a stored runbook, which is recalled first")
        .option("--session <id>", "the session of the triage")
        .option("--full", "print the whole answer"),
    notes:
      "Takes an error line, a stack trace, a log of any length, or the JSON of an alert of Alertmanager, Grafana, PagerDuty or Opsgenie.",
    examples: [
      'dejavu triage "pod stuck in CrashLoopBackOff" --target checkout --label namespace=shop',
      "kubectl describe pod checkout-7d9f | dejavu triage",
      'dejavu triage "checkout fails since 03:10" --file app.log --full',
      "dejavu triage < alert.json --json",
    ],
    load: () => import("../commands/triage.ts").then(({ run }) => run),
  });
  addCommand(parent, {
    usage: "ask [question...]",
    description: "ask a question, alone or in a session",
    define: (command) =>
      command
        .addOption(repeated("-f, --file <file>", "a file with evidence; - is standard input"))
        .option("--continue", "in the session of the last triage or question")
        .option("--session <id>", "in this session")
        .option("--full", "print the whole answer"),
    examples: [
      'dejavu ask "why would a container exit with code 137?"',
      'dejavu ask --continue "what did we rule out?"',
      'dejavu ask --session on-call "what did we find?"',
      'kubectl logs checkout-7d9f | dejavu ask "why does it restart?"',
    ],
    load: () => import("../commands/ask.ts").then(({ run }) => run),
  });
}

function addEdits(parent: Parent): void {
  addCommand(parent, {
    usage: "ack <id>",
    description: "acknowledge an incident: you have it, and its repeats are no longer announced",
    define: (command) =>
      command
        .option("--owner <name>", "who has it, if not you")
        .option("--undo", "nobody has acknowledged it: its repeats are announced")
        .option("--by <name>", WHO),
    notes: "Its end is announced all the same, and a fix that does not hold.",
    examples: ["dejavu ack last", "dejavu ack 3f2a --owner kim", "dejavu ack 3f2a --undo"],
    load: () => import("../commands/edit.ts").then(({ acknowledge }) => acknowledge),
  });
  addCommand(parent, {
    usage: "comment <id> [text...]",
    description: "add a comment to the timeline of an incident",
    define: (command) => command.option("--by <name>", WHO),
    examples: ['dejavu comment last "The payment provider has an outage too."'],
    load: () => import("../commands/edit.ts").then(({ comment }) => comment),
  });
  addCommand(parent, {
    usage: "edit <id>",
    description: "correct title, severity, owner or domain of an incident",
    define: (command) =>
      command
        .option("--title <text>", "its title; investigations and memory keep that of the report")
        .addOption(choice("--severity <level>", "its severity; later alerts do not change it", SEVERITIES))
        .option("--owner <name>", "who has it")
        .option("--no-owner", "nobody has it")
        .option("--domain <name>", "its domain, without other changes; its memory moves along")
        .option("--by <name>", WHO),
    examples: [
      'dejavu edit last --title "Checkout loses its database" --severity critical',
      "dejavu edit 3f2a --no-owner",
    ],
    load: () => import("../commands/edit.ts").then(({ edit }) => edit),
  });
  addCommand(parent, {
    usage: "merge <id> <into>",
    description: "merge an incident into another one, which gets its alerts and their repeats",
    define: (command) => command.option("--by <name>", WHO),
    notes: "A fix of the other incident is recorded for both.",
    examples: ["dejavu merge 3f2a last"],
    load: () => import("../commands/edit.ts").then(({ merge }) => merge),
  });
  addCommand(parent, {
    usage: "split <id>",
    description: "give alerts of an incident one of their own, which is investigated and gets their repeats",
    define: (command) =>
      command
        .addOption(repeated("--target <name>", "alerts of this service, host or object; repeatable"))
        .addOption(repeated("--fingerprint <text>", "the alert with this fingerprint; repeatable"))
        .option("--by <name>", WHO),
    examples: ["dejavu split last --target ledger"],
    load: () => import("../commands/edit.ts").then(({ split }) => split),
  });
}

function addOutcomeCommands(parent: Parent): void {
  addCommand(parent, {
    usage: "resolve <id> [fix...]",
    description: "record what fixed an incident, and what did not help",
    define: (command) =>
      command
        .addOption(repeated("--did-not-help <action>", "an action that was tried and did not help; repeatable"))
        .option("--conditions <text>", "versions or conditions under which it helps")
        .option("--fix <id>", "a recorded fix that was applied again, from a past incident")
        .option("--by <name>", WHO)
        .option("--answer-right", "Dejavu's answer led to the fix")
        .option("--answer-wrong", "Dejavu's answer was wrong; withdraws its conclusion"),
    notes:
      "Later incidents of the same failure show the fix. Without a fix, --did-not-help is recorded and the incident stays open.",
    examples: [
      'dejavu resolve last "Raised the memory limit to 1 GiB"',
      'dejavu resolve 3f2a "Rolled back to 4.1" --did-not-help "Restarted the pod" --conditions "gateway 4.2"',
      'dejavu resolve last --did-not-help "Restarted the pod"',
    ],
    load: () => import("../commands/resolve.ts").then(({ run }) => run),
  });
  addCommand(parent, {
    usage: "feedback <id> <rating> [comment...]",
    description: "rate the answer to an incident",
    define: (command) => {
      command.registeredArguments[1]?.choices(["up", "down", "none"]);
      return command
        .addOption(
          repeated(
            "--wrong <part=right>",
            "what is wrong, and what is right instead: cause, step, runbook, domain, severity",
          ),
        )
        .option("--by <name>", "your name; feedback without one counts as one person's");
    },
    notes: "One rating for each person; none removes it.",
    examples: [
      'dejavu feedback last up "The second step was it."',
      "dejavu feedback last down --wrong runbook=checkout-team/card-declined.md --wrong severity=critical",
    ],
    load: () => import("../commands/feedback.ts").then(({ run }) => run),
  });
}

function addLookups(parent: Parent): void {
  addCommand(parent, {
    usage: "similar [text...]",
    description: "show past incidents that are like a text or an incident; nothing is stored",
    define: (command) =>
      command
        .option("--domain <name>", "only this technology or team")
        .option("--all", "also the less likely ones")
        .addOption(repeated("-f, --file <file>", "a file with the report; - is standard input")),
    notes: "Takes a report as triage does, or one incident: last, or at least 4 characters of its id.",
    examples: [
      "dejavu similar last",
      'dejavu similar "gateway killed, exit code 137"',
      "journalctl -u redis -n 200 | dejavu similar",
    ],
    load: () => import("../commands/similar.ts").then(({ run }) => run),
  });
  addCommand(parent, {
    usage: "list",
    description: "list incidents, newest first",
    define: (command) =>
      pageOptions(command)
        .option("--domain <name>", "of this technology or team")
        .addOption(choice("--status <status>", "with this status", INCIDENT_STATUSES))
        .addOption(choice("--severity <level>", "of this severity", SEVERITIES))
        .option("--target <name>", "of this service, host or object")
        .option("--session <id>", "of this session"),
    examples: ["dejavu list", "dejavu list --status triaged --target checkout", "dejavu list --json --limit 100"],
    load: () => import("../commands/list.ts").then(({ run }) => run),
  });
  addCommand(parent, {
    usage: "show <id>",
    description: "show an incident with its answer, timeline and alerts",
    define: (command) => command.option("--full", "print the whole answer"),
    examples: ["dejavu show last", "dejavu show 3f2a --full", "dejavu show 3f2a8c1e --json"],
    load: () => import("../commands/show.ts").then(({ run }) => run),
  });
}

function addReports(parent: Parent): void {
  addCommand(parent, {
    usage: "postmortem <id>",
    description: "draft a postmortem of an incident in Markdown, from what is recorded",
    notes:
      "Made from stored facts alone, and not stored; a model, if there is one, words sentences of it. Follow-ups and the effect on users are yours to fill in.",
    examples: ["dejavu postmortem last", "dejavu postmortem 3f2a > postmortem.md"],
    load: () => import("../commands/reports.ts").then(({ postmortem }) => postmortem),
  });
  addCommand(parent, {
    usage: "handover",
    description: "show what the next shift must know: what fires, is open, was resolved, came back or is muted",
    define: (command) => command.option("--since <span>", "the length of the shift, such as 8h or 2d; 12h by default"),
    examples: ["dejavu handover", "dejavu handover --since 24h", "dejavu handover --json"],
    load: () => import("../commands/reports.ts").then(({ handover }) => handover),
  });
  addCommand(parent, {
    usage: "stats",
    description: "show how long incidents took, how many came back, and which failures cost most time",
    define: (command) => command.option("--since <span>", "the period in days, such as 7d; 30d by default"),
    examples: ["dejavu stats", "dejavu stats --since 90d", "dejavu stats --json"],
    load: () => import("../commands/reports.ts").then(({ stats }) => stats),
  });
}
