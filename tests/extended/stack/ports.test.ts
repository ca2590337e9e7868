import { once } from "node:events";
import { cpSync, mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Stack } from "../../../dev/stack/stack.ts";
import { startStack } from "../../../dev/stack/start-stack.ts";
import { isPortFree, type PortReservation, reservePorts } from "../../../dev/stack/system/ports.ts";
import { scratchDir } from "../../integration/stack/support/scratch.ts";

async function reserve(path: string): Promise<PortReservation> {
  const reservation = await reservePorts(path, true);
  onTestFinished(() => reservation.close());
  return reservation;
}

async function startChroma(dir: string): Promise<Stack> {
  const stack = await startStack({ dir, services: ["chroma"] });
  onTestFinished(() => stack.stop());
  return stack;
}

describe("the ports of a stack", { timeout: 300_000 }, () => {
  test("are not taken by a second stack before the services of the first listen on them", async () => {
    const scratch = scratchDir();
    const first = await reserve(join(scratch, "first.json"));
    await first.releaseAll();
    expect(await isPortFree(first.ports.worker)).toBe(true);
    cpSync(join(scratch, "first.json"), join(scratch, "second.json"));
    const second = await reserve(join(scratch, "second.json"));
    const taken = Object.values(first.ports);
    expect(Object.values(second.ports).filter((port) => taken.includes(port))).toEqual([]);
  });

  test("are free for the next stack once the first has stopped", async () => {
    const scratch = scratchDir();
    const path = join(scratch, "ports.json");
    const first = await reservePorts(path, true);
    await first.close();
    const { worker, gateway, ...rest } = first.ports;
    expect((await reserve(path)).ports).toMatchObject(rest);
  });

  test("differ for two stacks that start at once and used the same ones before", async () => {
    const scratch = scratchDir();
    const earlier = await startChroma(join(scratch, "earlier"));
    await earlier.stop();
    const dirs = ["first", "second"].map((name) => join(scratch, name));
    for (const dir of dirs) {
      mkdirSync(dir);
      cpSync(join(scratch, "earlier/ports.json"), join(dir, "ports.json"));
    }
    const stacks = await Promise.all(dirs.map(startChroma));
    const ports = stacks.map(({ info }) => info.ports.chroma);
    expect(new Set(ports).size).toBe(2);
    expect(ports).toContain(earlier.info.ports.chroma);
  });
});

describe("a service whose port another program takes while the service is down", { timeout: 300_000 }, () => {
  test.each(["postgres", "chroma"] as const)("does not start, and the error of %s names the port", async (name) => {
    const stack = await startStack({ dir: join(scratchDir(), "data"), ephemeral: true, services: [name] });
    onTestFinished(() => stack.stop());
    const service = stack.service(name);
    await service.kill();
    const other = createServer((socket) => socket.destroy()).listen(service.port, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    await expect(service.start()).rejects.toThrow(`${name} cannot use port ${service.port}: another program`);
  });
});
