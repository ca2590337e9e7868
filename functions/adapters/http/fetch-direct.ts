// `fetch` for adapters, which follows no redirect: the key and the texts of a request would go to another host.

import { DependencyError } from "../../dependencies.ts";
import type { Dependency } from "../../schemas/dependency.ts";

/** Returns a redirect as a response with its status; `redirectFailure` makes an error of it. */
export const fetchDirect: typeof fetch = (input, init) => fetch(input, { ...init, redirect: "manual" });

/** Undefined if the status is no redirect. The target is not named: it may hold content of the request. */
export function redirectFailure(dependency: Dependency, status: number): DependencyError | undefined {
  if (status < 300 || status >= 400) return undefined;
  const detail = `the server answered ${status}, a redirect, which is not followed: configure the address that it redirects to`;
  return new DependencyError(dependency, "refused", detail);
}
