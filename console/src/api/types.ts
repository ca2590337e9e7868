// Types of what the API answers GET with, and of its parameters.

import type { paths } from "../../../client/client.js";

/** Paths that answer GET with JSON. */
export type GetPath = {
  [Path in keyof paths]: paths[Path] extends {
    get: { responses: { 200: { content: { "application/json": unknown } } } };
  }
    ? Path
    : never;
}[keyof paths];

type GetOperation<Path extends GetPath> = Extract<paths[Path], { get: unknown }>["get"];
/** The JSON that a path answers GET with: `Body<"/v1/incidents">`. */
export type Body<Path extends GetPath> =
  GetOperation<Path> extends { responses: { 200: { content: { "application/json": infer Json } } } } ? Json : never;

/** What is undefined is left out. */
type Loose<T> = T extends object ? { readonly [Key in keyof T]: T[Key] | undefined } : undefined;
type ParametersOf<Path extends GetPath> = GetOperation<Path> extends { parameters: infer All } ? All : never;
export interface GetParams<Path extends GetPath> {
  readonly path?: "path" extends keyof ParametersOf<Path> ? NonNullable<ParametersOf<Path>["path"]> : never;
  readonly query?: "query" extends keyof ParametersOf<Path> ? Loose<NonNullable<ParametersOf<Path>["query"]>> : never;
}
