// Fixed Slack messages: help, usage of a command, progress and failures.

import { type Message, plainMessage } from "../../adapters/block-kit.ts";
import { DependencyError } from "../../dependencies.ts";
import { RecallUnavailable } from "../../investigation/recall/recall-result.ts";
import { OLDER_SCHEMA } from "../../schemas/database/schema-version.ts";
import { describeDependencies } from "../../schemas/dependency.ts";
import type { Command } from "./commands.ts";

const INCIDENT_ID_HINT = "Name an incident by its id, or by at least the first 8 digits of it.";

/** Arguments of the commands. Slack shows `&lt;` and `&gt;` as angle brackets. */
const USAGE = {
  similar: "similar &lt;what you look for&gt;",
  status: "status &lt;incident&gt;",
  resolve: "resolve &lt;incident&gt; &lt;what fixed it&gt;",
} as const;

/**
 * Returns the help, or the usage of a command with missing arguments.
 * @param address how people call Dejavu, such as "/triage" or "@dejavu"
 */
export function helpMessage(command: Extract<Command, { name: "help" | "unclear" }>, address: string): Message {
  if (command.name === "unclear") {
    return plainMessage(`Usage: \`${address} ${USAGE[command.meant]}\`. ${INCIDENT_ID_HINT}`);
  }
  return plainMessage(
    [
      "*Dejavu triages incidents and remembers what fixed them.*",
      `\`${address} api-gateway container exited with code 137\` triages an alert, a question or a log`,
      `\`${address} similar connection refused\` shows similar incidents and answers`,
      `\`${address} status 3f2a91bc\` shows an incident`,
      `\`${address} resolve 3f2a91bc raised the memory limit\` records what fixed it`,
      `\`${address} console\` sends you a link to the console, for you alone`,
      INCIDENT_ID_HINT,
    ].join("\n"),
  );
}

/** @param link Dejavu's own; it holds no foreign text */
export function renderSignInLink(link: string): Message {
  return plainMessage(
    `<${link}|Open the console>. The link signs you in once, within 10 minutes. What you record there is in your name, so do not share it.`,
  );
}

export const NO_PUBLIC_URL = plainMessage(
  "There is no link: the setting PUBLIC_URL, the address that people open, is missing. Open the page /console, and sign in with a token.",
);

export const WORKING = plainMessage("Investigating. The answer follows here in a few seconds.");

/** For a button whose answer was posted in another channel: a rating counts where people saw the answer. */
export const POSTED_ELSEWHERE = plainMessage(
  "This button is from another channel, so nothing was recorded. Press it below an answer in this channel, or record the fix with `/triage resolve`.",
);

export const NO_SUCH_INCIDENT = plainMessage(
  "No incident has an id that begins with these digits. The id is below every answer.",
);

export const AMBIGUOUS_INCIDENT = plainMessage(
  "More than one incident has an id that begins with these digits. Give more digits; the id is below every answer.",
);

export const TOO_MANY_TRIAGES = plainMessage(
  "You requested too many triages, so this one did not run. Wait a minute, then ask again.",
);

/** Sent when Slack rejects the message that holds the result, for example because it is too long. */
export const UNDELIVERABLE = plainMessage(
  "The request is done, but Slack rejected the message with the answer. Read the answer with `GET /v1/incidents`.",
);

/** Returns the reason of a failure and what to do. @param requestId identifies the request in the log */
export function failure(error: unknown, requestId: string): Message {
  if (error instanceof RecallUnavailable) {
    const names = describeDependencies(error.failures.map(({ dependency }) => dependency));
    return plainMessage(`Recall is unavailable: ${names} did not answer. Try again in a minute.`);
  }
  if (error instanceof DependencyError && error.failure === "schema_outdated") return plainMessage(OLDER_SCHEMA);
  if (error instanceof DependencyError) {
    return plainMessage(
      `The request failed at ${describeDependencies([error.dependency])}, so nothing was done. Try again in a minute.`,
    );
  }
  return plainMessage(`Something went wrong. The log has the reason under the request id ${requestId}.`);
}
