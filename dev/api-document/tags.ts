// OpenAPI tags, assigned by the beginning of a path. A route with its own `tags` keeps them.

interface Tag {
  readonly name: string;
  readonly description: string;
  readonly paths: RegExp;
}

/** In the order in which the reference shows them. */
const TAGS: readonly Tag[] = [
  {
    name: "triage",
    description: "Triage an incident, rate the answer, and list feedback.",
    paths: /^\/v1\/(triages?|feedback)(\/|$)/,
  },
  {
    name: "incidents",
    description: "Reported incidents and their resolutions; handover and statistics.",
    paths: /^\/v1\/(incidents|handover|stats)(\/|$)/,
  },
  { name: "alerts", description: "Webhooks of monitoring systems.", paths: /^\/v1\/alerts(\/|$)/ },
  {
    name: "changes",
    description: "Deployments, releases and other changes of services.",
    paths: /^\/v1\/changes(\/|$)/,
  },
  { name: "slack", description: "Slash commands, buttons and mentions from Slack.", paths: /^\/slack(\/|$)/ },
  { name: "mcp", description: "Tools and resources for agents, over streamable HTTP.", paths: /^\/mcp(\/|$)/ },
  {
    name: "search",
    description: "Search of runbooks, incidents and the cluster inventory.",
    paths: /^\/v1\/search(\/|$)/,
  },
  {
    name: "knowledge",
    description: "Define domains, and load runbooks, notes, logs, postmortems and the cluster inventory.",
    paths: /^\/v1\/(inventory|runbooks|documents|domains)(\/|$)/,
  },
  {
    name: "evidence",
    description: "Sources of evidence: the running systems that checks ask.",
    paths: /^\/v1\/sources(\/|$)/,
  },
  {
    name: "notifications",
    description: "Notification targets: places where people read of incidents; and mutes.",
    paths: /^\/v1\/(notifications|mutes)(\/|$)/,
  },
  {
    name: "memory",
    description: "List memory, test its recall, review observations and delete records.",
    paths: /^\/v1\/memory(\/|$)/,
  },
  {
    name: "quality",
    description: "How often answers are right, and failures without a runbook.",
    paths: /^\/v1\/quality(\/|$)/,
  },
  {
    name: "admin",
    description: "Jobs, the calibration of probabilities, access tokens, sessions and the built-in runbooks.",
    paths: /^\/v1\/admin(\/|$)/,
  },
  { name: "session", description: "Sign in to the console, and out.", paths: /^\/v1\/session(\/|$)/ },
  { name: "health", description: "Health checks and metrics.", paths: /^\/(health|metrics)(\/|$)/ },
  {
    name: "reference",
    description: "The page of this service, its documentation, and this API reference.",
    paths: /^\/(openapi\.json|console(\/.*)?|guide|docs(\/.*)?)?$/,
  },
];

/** The tag of a path; undefined when no tag matches. */
export function tagOf(path: string): string | undefined {
  return TAGS.find(({ paths }) => paths.test(path))?.name;
}

/** The tags that at least one of the paths has. */
export function tagsOf(paths: readonly string[]): Pick<Tag, "name" | "description">[] {
  const used = new Set(paths.map(tagOf));
  return TAGS.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description }));
}
