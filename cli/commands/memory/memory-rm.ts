// `dejavu memory rm`: deletes a record, with all that is derived from it.

import { z } from "zod";
import { call, callFor, pathOf } from "../../service/client.ts";
import { CommandError } from "../../service/command-error.ts";
import { confirm } from "../../service/confirm.ts";
import type { Service } from "../../service/find-service.ts";
import { nameOf } from "../../service/incident.ts";
import { idPrefixOf, incidentId, isWholeId } from "../../service/incident-id.ts";
import type { Cli, Invocation } from "../../service/invocation.ts";
import { observationId } from "../../service/observation-id.ts";

const namedSchema = z.object({ id: z.string(), title: z.string() });

interface Target {
  readonly path: string;
  /** Names the record for people. */
  readonly name: string;
}

export async function run({ args, options, cli }: Invocation<{ readonly yes?: boolean }>): Promise<void> {
  const [kind = "", text = ""] = args;
  const service = await cli.service();
  const { path, name } = await targetOf(service, cli, { kind, text });
  if (!options.yes)
    await confirm(cli, `Delete the ${kind.replace("-", " ")} ${name}, with all that is derived from it?`);
  await call(service, { method: "DELETE", path });
  cli.print(
    options.json ? JSON.stringify({ deleted: { kind, name } }) : `Deleted the ${kind.replace("-", " ")} ${name}.`,
  );
}

async function targetOf(
  service: Service,
  cli: Pick<Cli, "env">,
  { kind, text }: { readonly kind: string; readonly text: string },
): Promise<Target> {
  switch (kind) {
    case "incident": {
      const path = pathOf("incidents", await incidentId(service, cli.env, text));
      return { path, name: nameOf(await callFor(service, { path }, namedSchema)) };
    }
    case "observation": {
      const path = pathOf("memory", "observations", await observationId(service, text));
      return { path, name: nameOf(await callFor(service, { path }, namedSchema)) };
    }
    case "session":
      return { path: pathOf("memory", "sessions", text), name: text };
    default: {
      const id = idPrefixOf(text);
      if (!isWholeId(id))
        throw new CommandError("usage", `Use the whole id: dejavu memory ${kind}s --json lists them.`);
      return { path: pathOf("memory", `${kind}s`, id), name: id };
    }
  }
}
