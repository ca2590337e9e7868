// Owns the front doors as the API document groups them, by the beginning of their paths. A route with `tags` of its own
// goes where it says.

interface Door {
  readonly name: string;
  readonly description: string;
  readonly paths: RegExp;
}

/** In the order in which a reader wants them. */
const DOORS: readonly Door[] = [
  {
    name: "triage",
    description: "Have an incident investigated, say whether the answer helped, and see what was said.",
    paths: /^\/v1\/(triages?|feedback)(\/|$)/,
  },
  { name: "incidents", description: "What was reported and what fixed it.", paths: /^\/v1\/incidents(\/|$)/ },
  { name: "alerts", description: "Webhooks of monitoring systems.", paths: /^\/v1\/alerts(\/|$)/ },
  { name: "slack", description: "What Slack sends.", paths: /^\/slack(\/|$)/ },
  { name: "mcp", description: "Tools and resources for agents, over streamable HTTP.", paths: /^\/mcp(\/|$)/ },
  { name: "search", description: "One search over everything that is known.", paths: /^\/v1\/search(\/|$)/ },
  {
    name: "knowledge",
    description: "Load runbooks, notes, logs, postmortems, and what a cluster holds.",
    paths: /^\/v1\/(knowledge|runbooks|documents)(\/|$)/,
  },
  {
    name: "memory",
    description: "What was learnt: look at it, try its recall, judge it, forget it.",
    paths: /^\/v1\/memory(\/|$)/,
  },
  { name: "admin", description: "Jobs and tokens.", paths: /^\/v1\/admin(\/|$)/ },
  { name: "health", description: "For monitors.", paths: /^\/(health|metrics)(\/|$)/ },
  { name: "reference", description: "This description.", paths: /^\/(openapi\.json|docs(\/.*)?)$/ },
];

/** The door that a path belongs to; undefined where none is known. */
export function tagOf(path: string): string | undefined {
  return DOORS.find(({ paths }) => paths.test(path))?.name;
}

/** The doors that some path belongs to. */
export function tagsOf(paths: readonly string[]): Pick<Door, "name" | "description">[] {
  const used = new Set(paths.map(tagOf));
  return DOORS.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description }));
}
