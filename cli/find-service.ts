// Finds the service that a command calls, turns problem documents into errors, and measures the terminal.

import type { z } from "zod";
import { problemSchema } from "../functions/routes/http/problem.ts";
import { runningStack } from "./find-stores.ts";

export interface ServiceAddress {
  readonly url: string;
  readonly token: string;
}

/** The service at the URL, or the local stack's. @throws Error that says what is missing */
export function findService(url: string | undefined): ServiceAddress {
  if (url !== undefined) {
    const token = process.env.DEJAVU_TOKEN;
    if (!token) throw new Error("Set DEJAVU_TOKEN to a token of that service.");
    return { url, token };
  }
  const info = runningStack();
  if (!info) throw new Error('No local stack is running. Start one with "npm start", in another terminal.');
  return { url: info.urls.worker, token: info.token };
}

/** The error of a failed response, with the text of its problem document. */
export async function problemIn(response: Response): Promise<Error> {
  const problem = problemSchema.safeParse(await response.json().catch(() => undefined));
  return new Error(
    problem.success ? describeProblem(problem.data) : `Dejavu responded with status ${response.status}.`,
  );
}

export function describeProblem(problem: z.infer<typeof problemSchema>): string {
  const fields = (problem.errors ?? []).map(({ field, message }) => `\n  ${field}: ${message}`).join("");
  return `${problem.title}. ${problem.detail}${fields}`;
}

/** @param maxColumns upper limit of the width */
export function terminal(maxColumns: number) {
  // Some terminals report 0 columns.
  const columns = process.stdout.columns || 100;
  return { width: Math.min(columns, maxColumns), color: process.stdout.hasColors?.() ?? false };
}
