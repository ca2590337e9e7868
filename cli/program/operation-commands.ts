// Commands for those who operate Dejavu: tokens, jobs, traces, evaluation.

import { addCommand, addGroup, type Checkout, type Parent } from "./command-builder.ts";

export function addOperationCommands(parent: Parent, checkout: () => Promise<Checkout>): void {
  addTokens(addGroup(parent, { name: "tokens", alias: "token", description: "create, list and revoke tokens" }));
  addJobs(parent);
  addCommand(parent, {
    usage: "trace [id]",
    description: "show a triage of the local stack step by step: the newest, or one by id",
    define: (command) =>
      command
        .option("--list", "the last traces, newest first")
        .option("--json", "print the stored trace as JSON")
        .option("--dir <folder>", "data folder of the stack"),
    callsService: false,
    notes:
      'Needs a clone. The stack that "npm start" runs keeps the last 200 traces, unless OTLP_ENDPOINT sends them elsewhere.',
    examples: ["dejavu trace", "dejavu trace --list", "dejavu trace 3f2a8c1e"],
    load: async () => (await checkout()).commands.trace(),
  });
  addCommand(parent, {
    usage: "eval [arguments...]",
    description: "run the evaluation of this clone, or write the report of its runs; eval --help lists its options",
    // Its own options and help follow.
    define: (command) => command.allowUnknownOption().allowExcessArguments().helpOption(false),
    callsService: false,
    examples: ["dejavu eval --case <name>", "dejavu eval report"],
    load: async () => (await checkout()).commands.eval(),
  });
}

function addTokens(tokens: Parent): void {
  addCommand(tokens, {
    usage: "create",
    description: "create a token, and print it once",
    define: (command) =>
      command
        .requiredOption("--name <name>", "who uses it")
        .requiredOption("--scopes <scopes>", "joined by commas: report, triage, read, feedback, ingest, admin")
        .option("--domains <domains>", "joined by commas; without it, all, or those of the token that creates it")
        .option(
          "--expires-in-days <days>",
          "a whole number; without it, the token ends with the one that creates it, or never",
        )
        .option("--replaces <token>", "a token, by its name or id, whose alerts and sessions the new one continues"),
    notes: `Scopes; none implies another:
  report     send alerts and report incidents; it reads nothing
  triage     the same, and triage incidents with their answers
  read       read incidents, memory and readiness, and search
  feedback   rate answers, review observations and resolve incidents
  ingest     store runbooks, documents and inventory
  admin      run jobs, delete records, create and revoke tokens`,
    examples: [
      "dejavu tokens create --name alertmanager --scopes report",
      "dejavu tokens create --name checkout-team --scopes triage,read,feedback,ingest --domains checkout,kubernetes",
      "dejavu tokens create --name on-call --scopes triage,read,feedback --expires-in-days 90",
    ],
    load: () => import("../commands/tokens.ts").then(({ create }) => create),
  });
  addCommand(tokens, {
    usage: "list",
    description: "list all tokens, newest first",
    examples: ["dejavu tokens list"],
    load: () => import("../commands/tokens.ts").then(({ list }) => list),
  });
  addCommand(tokens, {
    usage: "revoke <token>",
    description: "revoke a token and those made with it, by its name or id",
    examples: ["dejavu tokens revoke grafana", "dejavu tokens revoke 5b0e"],
    load: () => import("../commands/tokens.ts").then(({ revoke }) => revoke),
  });
}

function addJobs(parent: Parent): void {
  const jobs = addGroup(parent, { name: "jobs", description: "list the scheduled jobs, or run one now" });
  addCommand(jobs, {
    usage: "list",
    description: "list the jobs, each with its last run",
    examples: ["dejavu jobs"],
    load: () => import("../commands/jobs.ts").then(({ list }) => list),
  });
  addCommand(jobs, {
    usage: "run <name>",
    description: "run a job now",
    examples: ["dejavu jobs run retry-outbox"],
    load: () => import("../commands/jobs.ts").then(({ run }) => run),
  });
}
