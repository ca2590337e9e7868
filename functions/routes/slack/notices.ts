// Owns what Dejavu says in Slack when there is nothing to show: the help, what a command lacks, and why something failed.

import { DependencyError } from "../../dependencies.ts";
import { RecallUnavailable } from "../../investigation/recall/recall-result.ts";
import { describeDependencies } from "../../schemas/dependency.ts";
import { type Message, plainMessage } from "./block-kit.ts";
import type { Command } from "./commands.ts";

const NAMES = "An incident is named by its id, or by the first 8 or more digits of it.";

const USAGE = {
  similar: "similar &lt;what you look for&gt;",
  status: "status &lt;incident&gt;",
  resolve: "resolve &lt;incident&gt; &lt;what fixed it&gt;",
} as const;

/** What people can ask for. @param address how people call Dejavu here, such as "/triage" or "@dejavu" */
export function advice(command: Extract<Command, { name: "help" | "unclear" }>, address: string): Message {
  if (command.name === "unclear") {
    return plainMessage(`Write it like this: \`${address} ${USAGE[command.meant]}\`. ${NAMES}`);
  }
  return plainMessage(
    [
      "*Dejavu triages incidents and remembers what fixed them.*",
      `\`${address} api-gateway container exited with code 137\` triages an alert, a question or a log`,
      `\`${address} similar connection refused\` shows what is like it on record`,
      `\`${address} status 3f2a91bc\` shows an incident`,
      `\`${address} resolve 3f2a91bc raised the memory limit\` records what fixed it`,
      NAMES,
    ].join("\n"),
  );
}

export const WORKING = plainMessage("Looking into it; the answer comes here in a few seconds.");

export const NO_SUCH_INCIDENT = plainMessage(
  "No incident on record has this id, nor one that begins like this. The id stands under every answer.",
);

export const AMBIGUOUS_INCIDENT = plainMessage(
  "More than one incident begins like this. Give a few more digits of the id; it stands under the answer.",
);

export const TOO_MANY_TRIAGES = plainMessage(
  "You ask for too many triages, so this one was not done. Wait a minute, then ask again.",
);

export const UNDELIVERABLE = plainMessage(
  "The work is done, but Slack did not take the message with the answer. It is on record: `GET /v1/incidents`.",
);

/** Why a request came to nothing, and what to do. @param requestId names it in the log */
export function failure(error: unknown, requestId: string): Message {
  if (error instanceof RecallUnavailable) {
    const names = describeDependencies(error.failures.map(({ dependency }) => dependency));
    return plainMessage(`Nothing can be searched now: ${names} did not answer. Try again in a minute.`);
  }
  if (error instanceof DependencyError) {
    return plainMessage(
      `The request failed at ${describeDependencies([error.dependency])}, so this was not done. Try again in a minute.`,
    );
  }
  return plainMessage(`Something went wrong. The log has the reason under the request id ${requestId}.`);
}
