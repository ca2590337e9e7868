/** Every part's spec from one workspace. */

import { logPathOf } from "./paths.ts";
import { chromaSpec } from "./services/chroma.ts";
import { collectorSpec } from "./services/collector.ts";
import { gatewaySpec } from "./services/gateway-spec.ts";
import { postgresSpec } from "./services/postgres.ts";
import { postgrestSpec } from "./services/postgrest.ts";
import type { PartSpec } from "./services/service.ts";
import { embeddingsSpec } from "./services/sidecars.ts";
import { workerSpec } from "./services/worker.ts";
import { databaseUrl } from "./settings.ts";
import type { PartName } from "./stack.ts";
import type { StackInfo } from "./stack-info.ts";
import type { Workspace } from "./workspace.ts";

export interface SpecOptions {
  urls: StackInfo["urls"];
  workerEnv: Record<string, string>;
  projectDir: string;
  isEphemeral: boolean;
  /** As in wrangler.toml where it is undefined. */
  requestsPerMinute: number | undefined;
  vectorCache: string | undefined;
  /** Aborted when the start is given up. */
  signal: AbortSignal;
}

export function createSpec(name: PartName, workspace: Workspace, options: SpecOptions): PartSpec {
  const { paths, home, secrets } = workspace;
  const { ports } = workspace.reservation;
  switch (name) {
    case "postgres":
      return postgresSpec({
        cluster: {
          home,
          superuserPassword: secrets.postgresPassword,
          isEphemeral: options.isEphemeral,
          logPath: logPathOf(paths, name),
          roster: workspace.roster,
          signal: options.signal,
        },
        port: ports.postgres,
        url: options.urls.postgres,
      });
    case "postgrest":
      return postgrestSpec({
        port: ports.postgrest,
        adminPort: ports.postgrestAdmin,
        databaseUrl: databaseUrl(ports, "authenticator", secrets.authenticatorPassword),
        jwtSecret: secrets.jwtSecret,
      });
    case "gateway":
      return gatewaySpec({ port: ports.gateway, postgrestPort: ports.postgrest });
    case "chroma":
      return chromaSpec({ port: ports.chroma, dataDir: paths.chroma });
    case "embeddings":
      return embeddingsSpec({ port: ports.embeddings, vectorCache: options.vectorCache });
    case "collector":
      return collectorSpec({ port: ports.collector, folder: paths.traces });
    case "worker":
      return workerSpec({
        port: ports.worker,
        paths,
        projectDir: options.projectDir,
        workerEnv: options.workerEnv,
        requestsPerMinute: options.requestsPerMinute,
      });
  }
}
