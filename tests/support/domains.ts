// The domains that ship, read from their files.

import { fileURLToPath } from "node:url";
import { readDomainFolders } from "../../cli/runbook-files.ts";
import { createDomainCatalog } from "../../functions/knowledge/domains/domain-catalog.ts";
import type { DefinedDomain } from "../../functions/knowledge/domains/domain-definition.ts";

/** Every folder of `seeds/runbooks`, with its definition and its runbooks. */
export const SHIPPED_DOMAINS = await readDomainFolders(fileURLToPath(new URL("../../seeds/runbooks", import.meta.url)));

export const SHIPPED_DEFINITIONS: readonly DefinedDomain[] = SHIPPED_DOMAINS.flatMap(({ name, definition }) =>
  definition === null ? [] : [{ name, definition }],
);

export const SHIPPED_CATALOG = createDomainCatalog(SHIPPED_DEFINITIONS);
