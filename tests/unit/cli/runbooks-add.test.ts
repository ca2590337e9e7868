import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { addTexts } from "../../../cli/commands/runbooks/runbooks-add.ts";
import type { Cli } from "../../../cli/service/invocation.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

it.each([
  [200, ["docker/gone.md"], 1],
  [500, [], 0],
])("--prune removes only when all files are stored: %i", async (status, removed, calls) => {
  const deleted: string[] = [];
  vi.stubGlobal("fetch", async (address: string | URL, { method }: RequestInit) => {
    if (method === "PUT") return Response.json({ upserted: 1, removed: 0 }, { status });
    if (method === "DELETE") deleted.push(String(address));
    const gone = { id: "1", source: "docker/gone.md", origin: "api", kind: "runbook" };
    const isRunbooks = String(address).includes("/v1/runbooks");
    return Response.json({ [isRunbooks ? "runbooks" : "documents"]: isRunbooks ? [gone] : [], next_cursor: null });
  });
  const notes: string[] = [];
  const cli: Partial<Cli> = {
    service: async () => ({ url: "http://d.example", token: "t", chosenBy: "", key: "", isLocal: false }),
    note: (text) => notes.push(text),
    progress: () => {},
    exitWith: () => {},
    whenInterrupted: () => {},
  };
  const folder = await mkdtemp(join(tmpdir(), "dejavu-add-"));
  try {
    await mkdir(join(folder, "docker"));
    await writeFile(join(folder, "docker", "disk.md"), "# Disk full\n\nThe disk is full.\n");
    expect((await addTexts(folder, { prune: true, yes: true }, cli as Cli)).removed).toEqual(removed);
  } finally {
    await rm(folder, { recursive: true });
  }
  expect(deleted).toHaveLength(calls);
  expect(notes.some((text) => text.startsWith("Nothing was removed"))).toBe(calls === 0);
});
