// Commands about mutes.

import { addCommand, addGroup, type Parent, repeated, WHO } from "./command-builder.ts";

export function addMuteCommands(parent: Parent): void {
  const mute = addGroup(parent, {
    name: "mute",
    description: "list, add and end mutes: what is expected until a time is answered, but not announced",
  });
  addCommand(mute, {
    usage: "list",
    description: "list the mutes, the next to end first, with the number of incidents that each muted",
    examples: ["dejavu mute list", "dejavu mute list --json"],
    load: () => import("../commands/mute.ts").then(({ list }) => list),
  });
  addCommand(mute, {
    usage: "add <reason...>",
    description: "mute a failure, alerts with these labels, or a domain; open incidents are announced when it ends",
    define: (command) =>
      command
        .option("--incident <id>", "the failure of this incident")
        .option("--domain <domain>", "incidents of this domain")
        .addOption(
          repeated("--match <matcher>", "incidents whose label matches, such as 'cluster=\"test\"'; repeatable"),
        )
        .option("--for <span>", "90m, 4h or 2d; at most 30d")
        .option("--until <time>", "the end, such as 2026-03-01T18:00Z; instead of --for")
        .option("--by <name>", WHO),
    notes: "Needs a token with the scope feedback.",
    examples: [
      "dejavu mute add planned migration --domain postgres --for 4h",
      "dejavu mute add load test --match 'alertname=\"HighLatency\"' --match 'cluster=\"test\"' --for 2d",
      "dejavu mute add known, fix is on its way --incident last --for 90m --by dana",
    ],
    load: () => import("../commands/mute.ts").then(({ add }) => add),
  });
  addCommand(mute, {
    usage: "end <id>",
    description: "end a mute now",
    examples: ["dejavu mute end 7a1e6c52-9d0b-4c3e-8a4f-2b5d6e7f8091"],
    load: () => import("../commands/mute.ts").then(({ end }) => end),
  });
}
