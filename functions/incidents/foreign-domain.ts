// Reports of restricted callers that their labels route to a domain of others.

import { type DomainRestriction, domainCatalog, type KnowledgeServices } from "../knowledge/domain-store.ts";
import type { DomainCatalog } from "../knowledge/domains/domain-catalog.ts";
import { labelledDomain } from "../knowledge/domains/route-domain.ts";
import type { AlertDelivery } from "../schemas/alert.ts";

type Labels = Readonly<Record<string, string>>;

/** The domain of others that the labels of a report decide for, and the rule; null if the caller may report it. */
export interface ForeignDomain {
  readonly name: string;
  readonly rule: string;
}

/** Null for a caller that is not restricted. */
export async function foreignDomainOf(services: KnowledgeServices, labels: Labels): Promise<ForeignDomain | null> {
  if (services.restriction === null) return null;
  const [own, all] = await catalogsOf(services, services.restriction);
  return findForeign(services.restriction, { own, all, labels });
}

/**
 * The delivery without the alerts that belong to domains of others: these are ignored, since a refusal would lose the
 * caller's own. `foreign` is the domain if none is left.
 */
export async function withoutForeignAlerts(
  services: KnowledgeServices,
  delivery: AlertDelivery,
): Promise<{ readonly delivery: AlertDelivery; readonly foreign: ForeignDomain | null }> {
  const { restriction } = services;
  if (restriction === null || delivery.alerts.length === 0) return { delivery, foreign: null };
  const [own, all] = await catalogsOf(services, restriction);
  const checked = delivery.alerts.map((alert) => ({
    alert,
    foreign: findForeign(restriction, { own, all, labels: alert.labels }),
  }));
  const ignored = checked.flatMap(({ alert: { fingerprint, status }, foreign }) =>
    foreign === null
      ? []
      : [{ fingerprint, status, rule: `${foreign.rule}: ${foreign.name} is outside the token's domains` }],
  );
  const alerts = checked.filter(({ foreign }) => foreign === null).map(({ alert }) => alert);
  return {
    delivery: { ...delivery, alerts, ignored: [...delivery.ignored, ...ignored] },
    foreign: alerts.length > 0 ? null : (checked[0]?.foreign ?? null),
  };
}

function catalogsOf(services: KnowledgeServices, { catalogOfAll }: DomainRestriction) {
  return Promise.all([domainCatalog(services), catalogOfAll()]);
}

/** Rules that only name where a report comes from, such as its pod, do not give it to another domain. */
function findForeign(
  { domains }: DomainRestriction,
  { own, all, labels }: { readonly own: DomainCatalog; readonly all: DomainCatalog; readonly labels: Labels },
): ForeignDomain | null {
  const decided = labelledDomain(all, labels);
  if (decided === undefined || !decided.limitsSearch || domains.includes(decided.name)) return null;
  const isExplicit = labels.domain === decided.name;
  return !isExplicit && labelledDomain(own, labels) !== undefined ? null : { name: decided.name, rule: decided.rule };
}
