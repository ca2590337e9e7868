// Chooses the domain of an incident and names the rule that decided. Pure functions.

import type { DomainRoute } from "../../schemas/domain.ts";
import { DOMAIN_NAMES, type DomainName } from "../../schemas/domain.ts";
import type { Cue } from "./domain.ts";
import { DOMAINS } from "./index.ts";
import { prometheusDomain } from "./prometheus-labels.ts";

// Labels decide in this order (a database inside a pod is a database incident), then the text, then docker.
const LABEL_ORDER: readonly DomainName[] = ["postgres", "podman", "kubernetes", "docker"];
// Order at equal cue weights: the narrower domain wins, because texts of every domain may mention containers.
const CUE_ORDER: readonly DomainName[] = ["postgres", "podman", "kubernetes", "docker"];
const DEFAULT_DOMAIN: DomainName = "docker";

/**
 * Routes by the first deciding label, else by the strongest cues in the headline, else by those in the details (labels
 * and logs, which also mention side effects), else to docker.
 */
export function routeDomain(labels: Readonly<Record<string, string>>, headline: string, details: string): DomainRoute {
  return (
    labelledDomain(labels) ??
    strongestDomain(headline, "text cue") ??
    strongestDomain(details, "cue in labels or logs") ?? {
      name: DEFAULT_DOMAIN,
      rule: "default: no label or cue decided",
      isDecided: false,
    }
  );
}

/** The domain that a label decides: `domain`, a technology's label, or a label of Prometheus; undefined if none does. */
export function labelledDomain(labels: Readonly<Record<string, string>>): DomainRoute | undefined {
  const requested = DOMAIN_NAMES.find((name) => name === labels.domain);
  if (requested !== undefined) return { name: requested, rule: `label domain=${requested}`, isDecided: true };
  for (const name of LABEL_ORDER) {
    const label = DOMAINS[name].label;
    if (label && labels[label.key] === label.value)
      return { name, rule: `label ${label.key}=${label.value}`, isDecided: true };
  }
  const monitored = prometheusDomain(labels);
  return monitored && { ...monitored, isDecided: true };
}

function strongestDomain(text: string, source: string): DomainRoute | undefined {
  let best: { name: DomainName; weight: number; matches: string[] } | undefined;
  for (const name of CUE_ORDER) {
    const match = matchCues(DOMAINS[name].cues, text);
    if (match.weight > (best?.weight ?? 0)) best = { name, ...match };
  }
  return best && { name: best.name, rule: describeCues(source, best.matches), isDecided: true };
}

/** For example `text cue "exit code 137", "oom-kill"`. */
export function describeCues(source: string, matches: readonly string[]): string {
  return `${source} ${matches.map((text) => `"${text}"`).join(", ")}`;
}

/** The summed weight of the matching cues, and the text that each of them matched. */
export function matchCues(cues: readonly Cue[], text: string): { weight: number; matches: string[] } {
  let weight = 0;
  const matches: string[] = [];
  for (const { pattern, weight: cueWeight } of cues) {
    const match = pattern.exec(text);
    if (!match) continue;
    weight += cueWeight;
    // Cuts by code points: Postgres cannot store half a surrogate pair.
    matches.push([...match[0].trim()].slice(0, 60).join(""));
  }
  return { weight, matches };
}
