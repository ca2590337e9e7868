// Messages of `npm start`: how to use the stack, and why a start failed. Pure functions.

import { relative } from "node:path";
import pc from "picocolors";
import type { StackInfo } from "../stack/stack-info.ts";
import { StackError } from "../stack/system/errors.ts";

/** How to call a running stack. */
export function describeUse(info: StackInfo, logsDir: string): string {
  const body = `'{"title": "api-gateway container exited with code 137"}'`;
  return [
    "",
    `${pc.bold("Dejavu is ready")} at ${pc.cyan(info.urls.worker)}. Ask it from another terminal:`,
    "",
    `  npm run triage -- "pod stuck in CrashLoopBackOff"`,
    "",
    `  curl ${info.urls.worker}/v1/triage \\`,
    `    -H "authorization: Bearer ${info.token}" \\`,
    `    -H "content-type: application/json" \\`,
    `    -d ${body}`,
    "",
    ...(info.logs.collector === undefined
      ? []
      : [`To see the newest triage step by step: ${pc.cyan("npm run trace")}.`]),
    `The API is described at ${info.urls.worker}/docs; agents connect to ${info.urls.worker}/mcp with the same token.`,
    "",
    pc.dim(`Logs are in ${shorten(logsDir)}/. Ctrl-C stops everything.`),
    "",
  ].join("\n");
}

function shorten(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith("..") ? path : short;
}

/** The error message of a failed start, with the end of the log that explains it. */
export function describeFailure(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const lines = [pc.red(message)];
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause !== error && !(cause instanceof StackError)) lines.push(pc.dim(`Cause: ${cause.message}`));
    if (cause instanceof StackError && cause.logPath) {
      lines.push("", cause.logTail.replaceAll(/^/gm, "  "), "", `The whole log: ${cause.logPath}`);
      break;
    }
  }
  return lines.join("\n");
}
