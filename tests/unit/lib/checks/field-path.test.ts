import { describe, expect, it } from "vitest";
import { readFieldPath, valuesAt } from "../../../../lib/checks/field-path.ts";

const pod = {
  containers: [
    { name: "app", restarts: 7 },
    { name: "proxy", restarts: 0 },
  ],
  requests: { cpu: "250m", memory: "1Gi" },
  annotations: { 'a."b"': 1, "c.d": 2 },
  empty: null,
};

describe("a path into an object", () => {
  it.each<[string, unknown[]]>([
    [".containers[1].name", ["proxy"]],
    [".containers[2].name", []],
    [".requests[0]", []],
    [".containers[*].restarts", [7, 0]],
    [".requests[*]", ["250m", "1Gi"]],
    [".requests.cpu[*]", []],
    [".empty[*]", []],
    [".containers[name=app].restarts", [7]],
    ['.containers[name="proxy"].restarts', [0]],
    [".containers[name='proxy'].restarts", [0]],
    ['.annotations["c.d"]', [2]],
    [".annotations['c.d']", [2]],
    [".empty", []],
    [".containers.name", []],
  ])("%s reaches %j", (text, values) => {
    const read = readFieldPath(text);
    expect(read?.length).toBe(text.length);
    expect(valuesAt(pod, read?.path ?? [])).toEqual(values);
  });

  it.each(["containers", "", ".", ".a[", ".a[*", ".a[b]"])("is not %j", (text) => {
    expect(readFieldPath(text)?.length).not.toBe(text.length || 1);
  });
});
