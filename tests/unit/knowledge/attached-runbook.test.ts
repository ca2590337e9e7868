import { describe, expect, it } from "vitest";
import { runbookNames } from "../../../functions/knowledge/attached-runbook.ts";

describe("what an attached address may call a runbook", () => {
  it.each([
    ["https://wiki.example/runbooks/postgres/Locks.md?v=2#fix", ["runbooks/postgres/locks", "postgres/locks", "locks"]],
    [
      "https://runbooks.example.com/kubernetes/kubepodcrashlooping",
      ["kubernetes/kubepodcrashlooping", "kubepodcrashlooping"],
    ],
    ["docker/host-disk-full.md", ["docker/host-disk-full", "host-disk-full"]],
    ["host%20disk.html", ["host disk"]],
    ["https://example.com", []],
    ["  /  ", []],
    ["%E0%A4%A", ["%e0%a4%a"]],
  ])("%s", (address, names) => {
    expect(runbookNames(address)).toEqual(names);
  });

  it("is never more than the last six parts", () => {
    expect(runbookNames(`https://example.com/${"a/".repeat(100)}z`)).toHaveLength(6);
  });
});
