// Commands about notification targets.

import { SEVERITIES } from "../../functions/schemas/incident-values.ts";
import { addCommand, addGroup, choice, type Parent, repeated } from "./command-builder.ts";

/** The kinds of the service. Its registry has the code that sends, which help and completion do not load. */
const KINDS = ["slack", "teams", "webhook", "pagerduty", "opsgenie"];

export function addNotifyCommands(parent: Parent): void {
  const notify = addGroup(parent, {
    name: "notify",
    description: "list, define, try and remove notification targets: places where people read of incidents",
  });
  addCommand(notify, {
    usage: "list",
    description: "list the notification targets",
    examples: ["dejavu notify list", "dejavu notify list --json"],
    load: () => import("../commands/notify.ts").then(({ list }) => list),
  });
  addAdd(notify);
  addCommand(notify, {
    usage: "try <name>",
    description: "send a message to a target now",
    define: (command) => command.option("--incident <id>", "the whole id of the incident to show; a sample by default"),
    notes: "A note on a ticket needs an incident that PagerDuty or Opsgenie reported.",
    examples: ["dejavu notify try on-call", "dejavu notify try pd --incident 3f2a8c1e-5b2e-4b66-9a51-0f2b7c1e5b2e"],
    load: () => import("../commands/notify.ts").then(({ tryOne }) => tryOne),
  });
  addCommand(notify, {
    usage: "rm <name>",
    description: "remove a target; its messages stay, and the secret of its credential stays in the Worker",
    examples: ["dejavu notify rm on-call"],
    load: () => import("../commands/notify.ts").then(({ remove }) => remove),
  });
}

function addAdd(notify: Parent): void {
  addCommand(notify, {
    usage: "add <name> <kind>",
    description: "define a target, or replace its definition",
    define: (command) => {
      command.registeredArguments[1]?.choices(KINDS);
      return command
        .option("--channel <id>", "slack: the id of the channel")
        .option("--address <url>", "webhook: the address; pagerduty, opsgenie: the API of another region")
        .option("--from <email>", "pagerduty: the user in whose name the notes are written")
        .option("--credential <secret>", "name of the Worker secret with its credential; begins with NOTIFY_")
        .option("--domains <domains>", "incidents of these domains only; joined by commas")
        .addOption(repeated("--match <matcher>", 'incidents whose label matches, such as team=~"db|web"; repeatable'))
        .addOption(choice("--severity <level>", "incidents of this severity and worse", SEVERITIES))
        .option(
          "--outcomes <outcomes>",
          "cause, possible, unknown, benign; joined by commas; the first three by default",
        )
        .option("--events <events>", "answered, recurred, resolved, fix_did_not_hold; joined by commas; all by default")
        .option("--window <minutes>", "minutes in which a further incident edits the message; 1440 by default")
        .option("--limit <n>", "first messages in a minute; 5 by default")
        .option("--handover <time>", "also a handover: daily or a day of the week, and a time in UTC");
    },
    notes:
      "Needs a token with the scope admin. Store the credential first: npx wrangler secret put NOTIFY_<NAME>. An option that is left out has its default.",
    examples: [
      "dejavu notify add on-call slack --channel C024BE91L --severity high",
      'dejavu notify add shift slack --channel C024BE91L --handover "daily 08:00"',
      "dejavu notify add team-db teams --credential NOTIFY_TEAM_DB --match 'team=\"db\"'",
      "dejavu notify add pd pagerduty --from dejavu@example.com --credential NOTIFY_PAGERDUTY",
    ],
    load: () => import("../commands/notify.ts").then(({ add }) => add),
  });
}

export function addSlackCommands(parent: Parent): void {
  const slack = addGroup(parent, { name: "slack", description: "set up the app of Slack" });
  addCommand(slack, {
    usage: "manifest [address]",
    description: "print the manifest of the app, for the address of a service",
    notes:
      "Without an address, that of the service in use. Paste it at api.slack.com/apps: Create New App, From a manifest.",
    examples: ["dejavu slack manifest", "dejavu slack manifest https://dejavu.example.com"],
    callsService: false,
    load: () => import("../commands/slack.ts").then(({ manifest }) => manifest),
  });
}
