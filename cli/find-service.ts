// Owns how a command asks a Dejavu over HTTP: where it is, what its problems mean, how wide the answer may be shown.

import type { z } from "zod";
import { problemSchema } from "../functions/routes/http/problem.ts";
import { runningStack } from "./find-stores.ts";

export interface ServiceAtHand {
  readonly url: string;
  readonly token: string;
}

/** The Dejavu at the URL, else the local stack's. @throws Error that says what is missing */
export function findService(url: string | undefined): ServiceAtHand {
  if (url !== undefined) {
    const token = process.env.DEJAVU_TOKEN;
    if (!token) throw new Error("Set DEJAVU_TOKEN to the token of that Dejavu.");
    return { url, token };
  }
  const info = runningStack();
  if (!info) throw new Error('No local stack is running. Start one with "npm start", in another terminal.');
  return { url: info.urls.worker, token: info.token };
}

/** The error to throw for an answer that is none, with the problem in plain words. */
export async function problemIn(response: Response): Promise<Error> {
  const problem = problemSchema.safeParse(await response.json().catch(() => undefined));
  return new Error(problem.success ? describeProblem(problem.data) : `Dejavu answered ${response.status}.`);
}

export function describeProblem(problem: z.infer<typeof problemSchema>): string {
  const fields = (problem.errors ?? []).map(({ field, message }) => `\n  ${field}: ${message}`).join("");
  return `${problem.title}. ${problem.detail}${fields}`;
}

/** @param mostColumns beyond which text is no longer pleasant to read */
export function terminal(mostColumns: number) {
  // A terminal may say that it has 0 columns when it does not know.
  const columns = process.stdout.columns || 100;
  return { width: Math.min(columns, mostColumns), color: process.stdout.hasColors?.() ?? false };
}
