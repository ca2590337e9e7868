// `npm run release:api`: records the API document of a release in releases/openapi.json. Later changes are compared with
// it.

import { writeFileSync } from "node:fs";
import { apiChanges, versionProblem } from "./release/api-changes.ts";
import { RELEASED, releasedDocument, servedDocument, versionOf } from "./release/api-document.ts";

const served = await servedDocument();
const released = releasedDocument();
const changes = apiChanges(released, served);
const problem = versionProblem(changes, versionOf(released), versionOf(served));
if (problem === null) {
  writeFileSync(RELEASED, `${JSON.stringify(served, null, 1)}\n`);
  const breaking = changes.filter((change) => change.breaking).length;
  console.log(`Recorded the API of ${versionOf(served)}: ${changes.length} changes, ${breaking} of them breaking.`);
} else {
  console.error(problem);
  process.exitCode = 1;
}
