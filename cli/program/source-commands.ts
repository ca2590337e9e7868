// Commands about sources of evidence.

import { EVIDENCE_KIND_NAMES } from "../../functions/schemas/evidence/evidence-kinds.ts";
import { addCommand, addGroup, type Parent, repeated } from "./command-builder.ts";

export function addSourceCommands(parent: Parent): void {
  const sources = addGroup(parent, {
    name: "sources",
    description: "list, define, try and remove the sources of evidence that checks ask",
  });
  addCommand(sources, {
    usage: "list",
    description: "list the sources of evidence, with their health",
    define: (command) => command.option("--no-health", "send no request to the sources"),
    examples: ["dejavu sources list", "dejavu sources list --no-health --json"],
    load: () => import("../commands/sources.ts").then(({ list }) => list),
  });
  addPut(sources);
  addTry(sources);
  addCommand(sources, {
    usage: "rm <name>",
    description: "remove a source; the secret of its credential stays in the Worker",
    examples: ["dejavu sources rm prod-metrics"],
    load: () => import("../commands/sources.ts").then(({ remove }) => remove),
  });
}

function addPut(sources: Parent): void {
  addCommand(sources, {
    usage: "put <name> <kind> <address>",
    description: "define a source, or replace its definition",
    define: (command) => {
      command.registeredArguments[1]?.choices(EVIDENCE_KIND_NAMES);
      return command
        .option("--credential <secret>", "name of the Worker secret with its credential; begins with EVIDENCE_")
        .addOption(repeated("--header <key=value>", "a header of each request that holds no secret; repeatable"))
        .addOption(
          repeated("--label <key=value>", "it serves alerts with this label; values joined by commas; repeatable"),
        )
        .option("--domains <domains>", "it serves these domains only; joined by commas")
        .option("--open-url <address>", "for links that people open, such as that of Grafana");
    },
    notes:
      "Needs a token with the scope admin. Store the credential first: npx wrangler secret put EVIDENCE_<NAME>. An option that is left out is empty.",
    examples: [
      "dejavu sources put prod-metrics prometheus https://mimir.example.com/prometheus --credential EVIDENCE_PROD_METRICS --header X-Scope-OrgID=prod --label cluster=prod-eu,prod-us",
      "dejavu sources put orders-db postgres postgres://orders-db.internal:5432/orders --credential EVIDENCE_ORDERS_DB --domains orders",
    ],
    load: () => import("../commands/sources.ts").then(({ put }) => put),
  });
}

function addTry(sources: Parent): void {
  addCommand(sources, {
    usage: "try <name> <query>",
    description: "run one query as a check of a triage runs it, and print its result",
    define: (command) =>
      command
        .addOption(repeated("--label <key=value>", "a label of an alert, which scopes the query; repeatable"))
        .option("--match <names>", "the labels that scope it, joined by commas; name? may be missing")
        .option("--confirms <condition>", 'the condition that confirms, such as "any > 0.9"')
        .option("--refutes <condition>", "the condition that refutes"),
    notes:
      "Without --label the query runs as it is written. Exit code 1: the source failed. Needs a token with the scope ingest.",
    examples: [
      'dejavu sources try prod-metrics "up" --label namespace=shop --label job=checkout',
      'dejavu sources try prod-metrics "max(pg_replication_lag_seconds)" --label instance=orders-db-1:9187 --confirms "any > 30" --refutes "all < 5"',
      `dejavu sources try orders-db "select state, count(*) from pg_stat_activity group by state"`,
    ],
    load: () => import("../commands/sources.ts").then(({ tryOne }) => tryOne),
  });
}
