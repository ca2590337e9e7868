// The target and the labels of an object that `kubectl describe` printed. Pure functions.

import type { TriageBody } from "./triage-body.ts";

/** Lines at the start that are searched for the fields. */
const MAX_LINES = 40;
const MAX_TARGET_LENGTH = 256;
const FIELD = /^([A-Z][A-Za-z ]{1,30}):\s+(\S+)\s*$/;
/** The kind of an object, by a field that only its description has. */
const KINDS: readonly (readonly [kind: string, fields: RegExp])[] = [
  ["pod", /^(?:QoS Class|Service Account|Start Time|Controlled By|Priority|Containers|IPs):/],
  ["node", /^(?:Roles|ProviderID|PodCIDR|Non-terminated Pods):/],
  ["deployment", /^(?:StrategyType|MinReadySeconds|RollingUpdateStrategy|NewReplicaSet):/],
  ["persistentvolumeclaim", /^(?:StorageClass|VolumeMode|Access Modes):/],
];

/** Empty for any other text. */
export function describedTarget(text: string): Pick<TriageBody, "target" | "labels"> {
  const lines = text.slice(0, 20_000).split(/\r?\n/);
  const start = lines.findIndex((line) => line.startsWith("Name:"));
  // Only a prompt with the command may stand above.
  if (start === -1 || start > 3) return {};
  const head = lines.slice(start, start + MAX_LINES);
  const fields = new Map(
    head.flatMap((line) => {
      const [, name, value] = FIELD.exec(line) ?? [];
      return name !== undefined && value !== undefined ? [[name, value] as const] : [];
    }),
  );
  const name = fields.get("Name");
  const namespace = fields.get("Namespace");
  const kind = KINDS.find(([, pattern]) => head.some((line) => pattern.test(line)))?.[0];
  if (name === undefined || name.length > MAX_TARGET_LENGTH || kind === undefined) return {};
  if (namespace === undefined && kind !== "node") return {};
  return { target: name, labels: { ...(namespace === undefined ? {} : { namespace }), [kind]: name } };
}
