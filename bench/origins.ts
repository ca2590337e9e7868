// `npm run bench -- origins <folder> [--fit]`: how often the object at which a storm of alerts began is named first. The
// folder holds faults of one system of services in the form of FORGE 2026 (arXiv 2601.22208): label.csv, metrics.json.gz,
// topology.json. The weights in functions/surroundings/origin.ts were fitted to the first system of that publication:
// judge by another one, or by the line of `--fit` that leaves a part out.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import {
  type Call,
  likelyOrigins,
  MIN_ORIGIN_PROBABILITY,
  type OriginCandidate,
  type OriginFeature,
  originFeatures,
  type PlacedAlert,
} from "../functions/surroundings/origin.ts";

const metricsSchema = z.record(
  z.string(),
  z.array(z.tuple([z.coerce.number(), z.string(), z.string().nullable(), z.string(), z.enum(["up", "down"])])),
);
const topologySchema = z.object({
  nodes: z.array(z.object({ id: z.string(), type: z.string() })),
  edges: z.array(z.object({ source: z.string(), target: z.string(), label: z.string() })),
});

interface Fault {
  readonly number: number;
  readonly object: string;
  readonly alerts: readonly PlacedAlert[];
}

const FOLDS = 10;

const { values, positionals } = parseArgs({
  options: { fit: { type: "boolean", default: false } },
  allowPositionals: true,
});
const { faults, calls } = readFaults(positionals[0] ?? "../shared/bench/rca");
report(
  "most alerts",
  faults.map((fault) => place(mostAlerts(fault), fault)),
);
report(
  "named origin",
  faults.map((fault) => place(likelyOrigins(fault.alerts, calls), fault)),
);
report(
  "named origin, without calls",
  faults.map((fault) => place(likelyOrigins(fault.alerts, []), fault)),
);
for (const count of [3, 10, 30])
  report(
    `of its first ${count} alerts`,
    faults
      .map((fault) => ({ ...fault, alerts: firstAlerts(fault, count) }))
      .map((fault) => place(likelyOrigins(fault.alerts, []), fault)),
  );
if (values.fit) {
  const folds = faults.map((fault, i) => ({ fault, fold: i % FOLDS }));
  const places = Array.from({ length: FOLDS }, (_, fold) => {
    const weights = fitWeights(folds.flatMap((each) => (each.fold === fold ? [] : [each.fault])));
    return folds.flatMap((each) =>
      each.fold === fold ? [place(likelyOrigins(each.fault.alerts, calls, weights), each.fault)] : [],
    );
  });
  report(`fitted to the others of ${FOLDS} parts`, places.flat());
  console.log("\nWeights of all:", fitWeights(faults));
}

/** What was named, and at which place the right object stands; 0 if it does not. */
interface Place {
  readonly place: number;
  readonly probability: number;
}

function place(named: readonly { readonly object: string; readonly probability?: number }[], { object }: Fault): Place {
  return { place: named.findIndex((each) => each.object === object) + 1, probability: named[0]?.probability ?? 0 };
}

function report(name: string, places: readonly Place[]): void {
  const within = (n: number) => places.filter(({ place }) => place > 0 && place <= n).length / places.length;
  const figures = [1, 3, 5].map((n) => within(n).toFixed(3)).join(" / ");
  const shown = places.filter(({ probability }) => probability >= MIN_ORIGIN_PROBABILITY);
  const mean = shown.reduce((sum, { probability }) => sum + probability, 0) / shown.length;
  const right = shown.filter((each) => each.place === 1).length;
  const sure = shown.length === 0 ? "" : `; shown ${shown.length}, right ${right}, mean probability ${mean.toFixed(2)}`;
  console.log(`${name.padEnd(34)} first / in 3 / in 5: ${figures} of ${places.length}${sure}`);
}

function readFaults(path: string): { readonly faults: Fault[]; readonly calls: Call[] } {
  const { nodes, edges } = topologySchema.parse(JSON.parse(readFileSync(join(path, "topology.json"), "utf8")));
  const metrics = metricsSchema.parse(JSON.parse(gunzipSync(readFileSync(join(path, "metrics.json.gz"))).toString()));
  const hosts = new Set(nodes.flatMap(({ id, type }) => (type === "Host" ? [id] : [])));
  const serviceOf = new Map(
    edges.flatMap(({ label, source, target }) => (label === "instance_of" ? [[source, target]] : [])),
  );
  const calls = edges.flatMap(({ label, source, target }) =>
    label.endsWith("_flow") ? [[source, target] as const] : [],
  );
  const rows = readFileSync(join(path, "label.csv"), "utf8").trim().split("\n").slice(1);
  const faults = rows.map((row) => {
    const [number = "", , object = ""] = row.split(",");
    const alerts = (metrics[number] ?? []).map(([at, name, host, metric, direction]): PlacedAlert => {
      const alert = { name: `${metric} ${direction}`, startsAt: new Date(at), object: name };
      if (hosts.has(name)) return { ...alert, level: "host" };
      if (!serviceOf.has(name)) return { ...alert, level: "service" };
      return { ...alert, level: "instance", host: host ?? undefined, service: serviceOf.get(name) };
    });
    return { number: Number(number), object, alerts };
  });
  return { faults, calls };
}

function firstAlerts({ alerts }: Fault, count: number): PlacedAlert[] {
  return alerts.toSorted((a, b) => a.startsAt.getTime() - b.startsAt.getTime()).slice(0, count);
}

function mostAlerts({ alerts }: Fault) {
  const counts = Map.groupBy(alerts, ({ object }) => object);
  return [...counts].toSorted(([, a], [, b]) => b.length - a.length).map(([object]) => ({ object }));
}

/** Conditional logit with a ridge, by gradient ascent with momentum. */
function fitWeights(each: readonly Fault[]): Record<OriginFeature, number> {
  const RIDGE = 0.15;
  const groups = each.flatMap(({ alerts, object }) => {
    const candidates = originFeatures(alerts, calls);
    const right = candidates.findIndex((candidate) => candidate.object.object === object);
    return right < 0 ? [] : [{ candidates, right }];
  });
  const [first] = groups[0]?.candidates ?? [];
  const names = Object.keys(first?.features ?? {}) as OriginFeature[];
  const scales = names.map((name) => {
    const all = groups.flatMap(({ candidates }) => candidates.map(({ features }) => features[name] ** 2));
    return Math.sqrt(all.reduce((sum, value) => sum + value, 0) / all.length) || 1;
  });
  const row = ({ features }: OriginCandidate) => names.map((name, i) => features[name] / (scales[i] ?? 1));
  const data = groups.map(({ candidates, right }) => ({ rows: candidates.map(row), right }));
  const weights = names.map(() => 0);
  const momentum = names.map(() => 0);
  for (let step = 0; step < 3_000; step++) {
    const gradient = weights.map((weight) => -RIDGE * weight);
    for (const { rows, right } of data) {
      const scores = rows.map((values) => values.reduce((sum, value, i) => sum + value * (weights[i] ?? 0), 0));
      const highest = Math.max(...scores);
      const masses = scores.map((score) => Math.exp(score - highest));
      const total = masses.reduce((sum, mass) => sum + mass, 0);
      names.forEach((_, i) => {
        const expected = rows.reduce((sum, values, k) => sum + ((masses[k] ?? 0) / total) * (values[i] ?? 0), 0);
        gradient[i] = (gradient[i] ?? 0) + ((rows[right]?.[i] ?? 0) - expected) / data.length;
      });
    }
    names.forEach((_, i) => {
      momentum[i] = 0.9 * (momentum[i] ?? 0) + (gradient[i] ?? 0);
      weights[i] = (weights[i] ?? 0) + 0.05 * momentum[i];
    });
  }
  const fitted = names.map((name, i) => [name, Number(((weights[i] ?? 0) / (scales[i] ?? 1)).toFixed(2))]);
  return Object.fromEntries(fitted) as Record<OriginFeature, number>;
}
