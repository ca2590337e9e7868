// The spec of each service, from the workspace and the options of a start.

import { fileURLToPath } from "node:url";
import { logPathOf } from "./paths.ts";
import { chromaService } from "./services/chroma.ts";
import { gatewayService } from "./services/gateway.ts";
import { postgresService } from "./services/postgres.ts";
import { postgrestService } from "./services/postgrest.ts";
import { nodeService, type ServiceName, type ServiceSpec } from "./services/service.ts";
import { workerService } from "./services/worker.ts";
import { databaseUrl, type StackInfo } from "./stack-info.ts";
import type { Workspace } from "./workspace.ts";

const COLLECTOR = fileURLToPath(new URL("../collector/server.ts", import.meta.url));

export interface SpecOptions {
  urls: StackInfo["urls"];
  workerEnv: Record<string, string>;
  projectDir: string;
  isEphemeral: boolean;
  /** Undefined: the limits of wrangler.toml. */
  requestsPerMinute: number | undefined;
  /** Aborts the start. */
  signal: AbortSignal;
}

export function createServiceSpec(name: ServiceName, workspace: Workspace, options: SpecOptions): ServiceSpec {
  const { paths, home, secrets, registry } = workspace;
  const { ports } = workspace.reservation;
  switch (name) {
    case "postgres":
      return postgresService({
        home,
        port: ports.postgres,
        url: options.urls.postgres,
        superuserPassword: secrets.postgresPassword,
        isEphemeral: options.isEphemeral,
        logPath: logPathOf(paths, name),
        registry,
        signal: options.signal,
      });
    case "postgrest":
      return postgrestService({
        port: ports.postgrest,
        adminPort: ports.postgrestAdmin,
        databaseUrl: databaseUrl(ports, "authenticator", secrets.authenticatorPassword),
        jwtSecret: secrets.jwtSecret,
      });
    case "gateway":
      return gatewayService({ port: ports.gateway, postgrestPort: ports.postgrest });
    case "chroma":
      return chromaService({ port: ports.chroma, dataDir: paths.chroma });
    case "collector":
      return nodeService(name, ports.collector, { script: COLLECTOR, env: { TRACES: paths.traces } });
    case "worker":
      return workerService({
        port: ports.worker,
        folder: paths.wrangler,
        envFile: paths.workerEnv,
        projectDir: options.projectDir,
        workerEnv: options.workerEnv,
        requestsPerMinute: options.requestsPerMinute,
      });
  }
}
