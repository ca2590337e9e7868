// File in which test runs share computed vectors.

import { join } from "node:path";
import { REPO_DIR } from "../../../dev/stack/paths.ts";

export const VECTOR_CACHE = join(REPO_DIR, "node_modules/.cache/dejavu/vectors.sqlite");
