import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { findClusterResource } from "../../../lib/checks/k8s/cluster-resources.ts";
import { codeBlocks, readPage } from "../../support/markdown-pages.ts";

const roleSchema = z.object({
  kind: z.literal("ClusterRole"),
  rules: z.array(
    z.object({ apiGroups: z.array(z.string()), resources: z.array(z.string()), verbs: z.array(z.string()) }),
  ),
});

describe("the role of the guide to clusters", () => {
  const manifest = codeBlocks(readPage("docs/guides/evidence-kubernetes.md")).find(
    ({ language }) => language === "yaml",
  );
  const objects = parseAllDocuments(manifest?.code ?? "").map((document): unknown => document.toJS());
  const roles = objects.flatMap((object) => {
    const role = roleSchema.safeParse(object);
    return role.success ? [role.data] : [];
  });
  const rules = roles.flatMap((role) => role.rules);

  it("may get and list, and nothing else", () => {
    expect(roles).toHaveLength(1);
    expect(new Set(rules.flatMap(({ verbs }) => verbs))).toEqual(new Set(["get", "list"]));
  });

  it("names resources that exist, and neither secrets nor config maps", () => {
    const names = rules.flatMap(({ apiGroups, resources }) => resources.map((name) => `${name}.${apiGroups.join()}`));
    for (const name of names)
      expect(findClusterResource(name.replace(/\.$/, "")), name).toMatchObject({ plural: name.split(".", 1)[0] });
    expect(names.filter((name) => /secret|configmap|\*/.test(name))).toEqual([]);
  });
});
