// Interface of a source of evidence: read-only queries to a running system. One vendor a file beside it.

import type { EvidenceQuery, QueryResult } from "../../../lib/checks/scope/query.ts";
import type { ClusterListing } from "../../schemas/evidence/cluster-listing.ts";
import type { EvidenceSourceDefinition } from "../../schemas/evidence/source.ts";
import type { StartTimer } from "../../timers.ts";

export interface QueryCall {
  /** Milliseconds for the whole query. */
  readonly timeoutMs: number;
  readonly cancelled?: AbortSignal | undefined;
}

export interface EvidenceClient {
  readonly definition: EvidenceSourceDefinition;
  /** The server that answers, if its queries name none: `host:port/database`. Null for other sources. */
  readonly server: string | null;
  /**
   * Runs one query of its language, without a retry. Reads at most QUERY_LIMITS and never follows a redirect.
   * @throws DependencyError with the role `evidence_source`; its message holds no content
   */
  run(query: EvidenceQuery, call: QueryCall): Promise<QueryResult>;
  /** One cheap request that needs the credential. @throws DependencyError */
  ping(call: QueryCall): Promise<{ readonly version: string | null }>;
  /** A page that shows the query to a person; null if the source has none. */
  linkTo(query: EvidenceQuery): string | null;
  /** Lists the kinds and objects of a cluster, for the inventory. Only of sources of LISTED_KIND. @throws DependencyError */
  listCluster?(call: QueryCall & { readonly maxObjects: number }): Promise<ClusterListing>;
}

/** Creates the client of a definition. `credential` is the value of its secret; null without one. */
export type CreateEvidenceClient = (
  definition: EvidenceSourceDefinition,
  credential: string | null,
  startTimer: StartTimer,
) => EvidenceClient;
