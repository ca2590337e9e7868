// Types of successful answers, by operation.

import type { operations } from "../../../client/client.js";

/** The JSON of a successful answer: `Body<"getMemoryObservations">`. */
export type Body<Name extends keyof operations> = operations[Name] extends { responses: infer Responses }
  ? JsonOf<Responses[keyof Responses & (200 | 201)]>
  : never;

type JsonOf<Answer> = Answer extends { content: { "application/json": infer Json } } ? Json : never;
