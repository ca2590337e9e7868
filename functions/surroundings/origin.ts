// Which object a storm of alerts begins at: of several alerts, the loudest is often a victim. A conditional logit over the
// objects that alert (McFadden 1974): each gets a score from what its alerts share with those of others. `npm run bench --
// origins` prints how often it is right, and with `--fit` the weights. Pure functions.

const ORIGIN_LEVELS = ["host", "service", "instance"] as const;
export type OriginLevel = (typeof ORIGIN_LEVELS)[number];

/** One alert, with the objects that it is about. */
export interface PlacedAlert {
  /** What it measures: its name. */
  readonly name: string;
  readonly startsAt: Date;
  readonly level: OriginLevel;
  readonly object: string;
  /** Of an instance. */
  readonly host?: string | undefined;
  readonly service?: string | undefined;
}

export interface Origin {
  readonly level: OriginLevel;
  readonly object: string;
  /** Among all objects that alert, 0 to 1. */
  readonly probability: number;
  readonly alerts: number;
}

/** A service and one that it calls. */
export type Call = readonly [caller: string, callee: string];

export type OriginFeature =
  | "alone"
  | "all_instances"
  | "first"
  | "callers_alert"
  | "host"
  | "host_share"
  | "service_share"
  | "instance_share";

/** Fitted to 70 faults of one system of services (arXiv 2601.22208). */
const WEIGHTS: Readonly<Record<OriginFeature, number>> = {
  alone: 0.77,
  all_instances: 2.85,
  first: 1.08,
  callers_alert: 2.06,
  host: 1.83,
  host_share: 4.19,
  service_share: 1.35,
  instance_share: 11.09,
};

/** Below it, no origin is shown. */
export const MIN_ORIGIN_PROBABILITY = 0.5;

/**
 * An equal chance of all objects counts like so many alerts: a few alerts say little. Of the first 10 alerts of a fault, the origin that
 * they named with 0.84 on average was right in 7 of 54 (`npm run bench -- origins`), and whole storms are of 13 to 136.
 */
const PRIOR_ALERTS = 10;

/** Alerts that start within so many milliseconds of the first are first: rules are evaluated once a minute. */
const FIRST_MS = 60_000;

interface StormObject {
  readonly level: OriginLevel;
  readonly object: string;
  readonly alerts: PlacedAlert[];
  readonly service?: string | undefined;
}

/** The objects that alert and those that they run on or belong to, the likeliest first. */
export function likelyOrigins(alerts: readonly PlacedAlert[], calls: readonly Call[], weights = WEIGHTS): Origin[] {
  const scored = originFeatures(alerts, calls).map(({ object, features }) => ({
    object,
    score: Object.entries(weights).reduce((sum, [name, weight]) => sum + weight * features[name as OriginFeature], 0),
  }));
  const highest = Math.max(...scored.map(({ score }) => score));
  const total = scored.reduce((sum, { score }) => sum + Math.exp(score - highest), 0);
  const share = alerts.length / (alerts.length + PRIOR_ALERTS);
  return scored
    .map(({ object: { level, object, alerts: own }, score }) => ({
      level,
      object,
      probability: (share * Math.exp(score - highest)) / total + (1 - share) / scored.length,
      alerts: own.length,
    }))
    .toSorted((a, b) => b.probability - a.probability || a.object.localeCompare(b.object));
}

export interface OriginCandidate {
  readonly object: StormObject;
  readonly features: Readonly<Record<OriginFeature, number>>;
}

/** What the score of each object is made of. Shares are of the alerts of its level; each feature is at least 0 but for `alone`. */
export function originFeatures(alerts: readonly PlacedAlert[], calls: readonly Call[]): OriginCandidate[] {
  const objects = stormObjects(alerts);
  const firstAt = Math.min(...alerts.map(({ startsAt }) => startsAt.getTime()));
  const alerting = new Map(
    ORIGIN_LEVELS.map((level) => [level, objects.filter((each) => each.level === level && each.alerts.length > 0)]),
  );
  const ofLevel = (level: OriginLevel) => alerting.get(level) ?? [];
  /** Alerts of an object, as a multiple of the mean of its level. */
  const loudness = ({ level, alerts }: StormObject) => {
    const all = ofLevel(level).map((each) => each.alerts.length);
    return (alerts.length * all.length) / all.reduce((sum, count) => sum + count, 0);
  };
  const shares = countShares(objects);
  const alertingServices = new Set(ofLevel("service").map(({ object }) => object));
  return objects.map((object) => {
    const { level, alerts } = object;
    const instances = level === "service" ? ofLevel("instance").filter(({ service }) => service === object.object) : [];
    const siblings =
      level === "instance" && object.service !== undefined
        ? ofLevel("instance").filter((each) => each !== object && each.service === object.service)
        : [];
    const callers = calls.filter(([, callee]) => callee === object.object);
    const share = (shares.of.get(object) ?? 0) / Math.max(1, shares.ofLevel.get(level) ?? 0);
    return {
      object,
      features: {
        alone: level === "instance" ? loudness(object) - Math.max(0, ...siblings.map(loudness)) : 0,
        all_instances: instances.length > 1 ? Math.min(...instances.map(loudness)) : 0,
        first: Number(alerts.some(({ startsAt }) => startsAt.getTime() <= firstAt + FIRST_MS)),
        callers_alert:
          level === "service" && callers.length > 0
            ? callers.filter(([caller]) => alertingServices.has(caller)).length / callers.length
            : 0,
        host: Number(level === "host"),
        host_share: level === "host" ? share : 0,
        service_share: level === "service" ? share : 0,
        instance_share: level === "instance" ? share : 0,
      },
    };
  });
}

/** An alert that most objects of a level have names none of them: each has a share of it. */
function countShares(objects: readonly StormObject[]) {
  const key = ({ level, name }: PlacedAlert) => `${level} ${name}`;
  const shared = new Map<string, number>();
  for (const alert of objects.flatMap(({ alerts }) => alerts))
    shared.set(key(alert), (shared.get(key(alert)) ?? 0) + 1);
  return {
    of: new Map(
      objects.map((each) => [each, each.alerts.reduce((sum, alert) => sum + 1 / (shared.get(key(alert)) ?? 1), 0)]),
    ),
    ofLevel: new Map(
      ORIGIN_LEVELS.map((level) => [level, [...shared.keys()].filter((name) => name.startsWith(`${level} `)).length]),
    ),
  };
}

/** Each object with its alerts, one a name: the earliest. Hosts and services of instances are objects without alerts of their own. */
function stormObjects(alerts: readonly PlacedAlert[]): StormObject[] {
  const objects = new Map<string, StormObject>();
  const put = (object: Omit<StormObject, "alerts">): StormObject => {
    const key = `${object.level} ${object.object}`;
    const entry = objects.get(key) ?? { ...object, alerts: [] };
    objects.set(key, entry);
    return entry;
  };
  for (const alert of alerts.toSorted((a, b) => a.startsAt.getTime() - b.startsAt.getTime())) {
    const { level, object, host, service } = alert;
    const own = put({ level, object, service });
    if (own.alerts.every(({ name }) => name !== alert.name)) own.alerts.push(alert);
    if (host !== undefined) put({ level: "host", object: host });
    if (service !== undefined) put({ level: "service", object: service });
  }
  return [...objects.values()];
}
