// All domains by name.

import type { DomainName } from "../../schemas/domain.ts";
import { docker } from "./docker.ts";
import type { Domain } from "./domain.ts";
import { kubernetes } from "./kubernetes.ts";
import { podman } from "./podman.ts";
import { postgres } from "./postgres.ts";

export const DOMAINS: Readonly<Record<DomainName, Domain>> = { docker, podman, kubernetes, postgres };
