// Process entry for tests that end the demo of `npm start`. Takes the options of a stack as JSON: the demo uses its
// folder. Prints the progress as JSON lines.

import { runDemo } from "../../../../dev/start/demo.ts";

const { dir } = JSON.parse(process.argv[2] ?? "{}");
const print = (line: object): void => console.log(JSON.stringify(line));

await runDemo({ dir, onProgress: (message) => print({ type: "progress", message }) });
print({ type: "ended" });
