// The views of the console: address, name, key and the scope that each needs. A new view is one entry and one folder in views/.

import type { AnyComponent } from "preact";
import lazy from "preact-iso/lazy";
import { exec } from "preact-iso/router";
import { consolePath } from "../format/console-path.ts";
import { can, type Scope } from "../session/session.ts";
import { Incidents } from "../views/incidents/incidents.tsx";
import { missingView } from "./missing-view.tsx";

interface View {
  /** Below `/console`; `:id` is a parameter of the view. */
  readonly path: string;
  /** In a file of its own, which `preload` loads; the first view comes with the console. */
  readonly component: AnyComponent & { preload?(): Promise<unknown> };
  /** In the navigation; views without a name are reached from others. */
  readonly name?: string;
  /** Pressed after `g`. */
  readonly key?: string;
  /** The view is shown to sessions with at least one of them. */
  readonly scopes: readonly Scope[];
}

/** Outside the import, where also its styles may be missing. */
const lazyView = (load: () => Promise<AnyComponent>) => lazy(() => load().catch(missingView));

// biome-ignore format: a table
export const VIEWS: readonly View[] = [
  { path: "", name: "Incidents", key: "i", scopes: ["read"], component: Incidents },
  { path: "/incidents/:id", scopes: ["read"], component: lazyView(() => import("../views/incident/incident.tsx").then((view) => view.Incident)) },
  { path: "/ask", name: "Ask", key: "a", scopes: ["triage"], component: lazyView(() => import("../views/ask/ask.tsx").then((view) => view.Ask)) },
  { path: "/runbooks/:rest*", name: "Runbooks", key: "r", scopes: ["read"], component: lazyView(() => import("../views/runbooks/runbooks.tsx").then((view) => view.Runbooks)) },
  { path: "/memory/:rest*", name: "Memory", key: "m", scopes: ["read"], component: lazyView(() => import("../views/memory/memory.tsx").then((view) => view.Memory)) },
  { path: "/domains/:rest*", name: "Domains", key: "d", scopes: ["read", "ingest"], component: lazyView(() => import("../views/domains/domains.tsx").then((view) => view.Domains)) },
  { path: "/quality/:rest*", name: "Quality", key: "q", scopes: ["read"], component: lazyView(() => import("../views/quality/quality.tsx").then((view) => view.Quality)) },
  { path: "/mutes", name: "Mutes", key: "u", scopes: ["read"], component: lazyView(() => import("../views/mutes/mutes.tsx").then((view) => view.Mutes)) },
  { path: "/settings/:rest*", name: "Settings", key: "s", scopes: ["admin", "ingest"], component: lazyView(() => import("../views/settings/settings.tsx").then((view) => view.Settings)) },
];

/** Those in the navigation that the session allows, with their addresses. */
export function namedViews(): { readonly name: string; readonly href: string; readonly key: string }[] {
  return VIEWS.filter(isAllowed).flatMap(({ name, path, key = "" }) =>
    name === undefined ? [] : [{ name, key, href: consolePath(path.replace(/\/:.*$/, "")) }],
  );
}

export function isAllowed({ scopes }: View): boolean {
  return scopes.some(can);
}

/** Starts to load the files of an address, while the session is loading. */
export function preloadView(path: string): void {
  const view = VIEWS.find((view) => exec(path, consolePath(view.path), { path, query: {}, params: {} }) !== undefined);
  void view?.component.preload?.();
}
