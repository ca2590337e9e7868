// Refuses reports of restricted callers that their labels route to a domain of others.

import { type ForeignDomain, foreignDomainOf } from "../../incidents/foreign-domain.ts";
import type { Services } from "../../services.ts";
import { outsideDomains, type Problem } from "./problem.ts";

/** @throws Problem that names the domain and the rule */
export async function refuseForeignReport(
  services: Services,
  labels: Readonly<Record<string, string>> | undefined,
): Promise<void> {
  const foreign = await foreignDomainOf(services, labels ?? {});
  if (foreign !== null) throw foreignReport(services, foreign);
}

export function foreignReport({ restriction }: Services, { name, rule }: ForeignDomain): Problem {
  return outsideDomains(restriction?.domains ?? [], `The report belongs to \`${name}\` (${rule}).`);
}
