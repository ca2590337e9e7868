// Owns which domain an incident belongs to and why. Pure.

import type { DomainRoute } from "../../schemas/domain.ts";
import { DOMAIN_NAMES, type DomainName } from "../../schemas/domain.ts";
import type { Cue } from "./domain.ts";
import { DOMAINS } from "./index.ts";
import { prometheusDomain } from "./prometheus-labels.ts";

// Labels decide in this order (a database inside a pod is a database incident), then the text, then docker.
const LABEL_ORDER: readonly DomainName[] = ["postgres", "podman", "kubernetes", "docker"];
// For equal cue weights: the narrower domain wins, since every narrower text may also speak of containers.
const CUE_ORDER: readonly DomainName[] = ["postgres", "podman", "kubernetes", "docker"];
const DEFAULT_DOMAIN: DomainName = "docker";

/**
 * Routes by the first deciding label, else by the strongest cues in the headline, else in the details (labels, logs:
 * full of side effects, so they speak only where the headline is silent), else to docker.
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

/** The domain that labels name: outright, by a technology, or as monitoring puts them; undefined where none does. */
export function labelledDomain(labels: Readonly<Record<string, string>>): DomainRoute | undefined {
  const given = DOMAIN_NAMES.find((name) => name === labels.domain);
  if (given !== undefined) return { name: given, rule: `label domain=${given}`, isDecided: true };
  for (const name of LABEL_ORDER) {
    const label = DOMAINS[name].label;
    if (label && labels[label.key] === label.value)
      return { name, rule: `label ${label.key}=${label.value}`, isDecided: true };
  }
  const watched = prometheusDomain(labels);
  return watched && { ...watched, isDecided: true };
}

function strongestDomain(text: string, source: string): DomainRoute | undefined {
  let best: { name: DomainName; weight: number; found: string[] } | undefined;
  for (const name of CUE_ORDER) {
    const match = matchCues(DOMAINS[name].cues, text);
    if (match.weight > (best?.weight ?? 0)) best = { name, ...match };
  }
  return best && { name: best.name, rule: describeCues(source, best.found), isDecided: true };
}

/** "text cue "exit code 137", "oom-kill"", for a person to read. */
export function describeCues(source: string, found: readonly string[]): string {
  return `${source} ${found.map((text) => `"${text}"`).join(", ")}`;
}

/** The summed weight of the cues found in the text, and what each of them matched. */
export function matchCues(cues: readonly Cue[], text: string): { weight: number; found: string[] } {
  let weight = 0;
  const found: string[] = [];
  for (const { pattern, weight: cueWeight } of cues) {
    const match = pattern.exec(text);
    if (!match) continue;
    weight += cueWeight;
    // By characters: half a surrogate pair could not be stored.
    found.push([...match[0].trim()].slice(0, 60).join(""));
  }
  return { weight, found };
}
