// Shows the events of a triage as progress on one line of a terminal.

import type { StreamedEvent } from "./event-stream.ts";
import type { Cli } from "./invocation.ts";

export function showStep({ progress }: Pick<Cli, "progress">, { event, data }: StreamedEvent): void {
  switch (event) {
    case "recall": {
      const { runbooks, incidents } = data.recalled;
      progress(`recalled ${runbooks.length} runbook sections and ${incidents.length} past incidents …`);
      break;
    }
    case "token":
      progress(`writing the answer: ${data.path.split(".", 1)[0]?.replaceAll("_", " ")} …`);
      break;
    case "critique":
      progress(`a critic gives ${data.score.toFixed(2)} …`);
      break;
    case "reflection":
      progress("reflected, calling the critic again …");
      break;
    default:
      progress("");
  }
}
