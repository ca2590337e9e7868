import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type InputOptions, readInput } from "../../../../cli/input/read-input.ts";
import { triageRequestSchema } from "../../../../functions/routes/v1/triage-request.ts";

const LOG = "2026-03-01 02:55:10 INFO starting\n2026-03-01 02:55:12 ERROR disk full on /data\n";
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dejavu-input-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function fileOf(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const read = (options: Partial<InputOptions>) =>
  readInput({ words: [], files: [], stdin: null, say: () => {}, ...options });
const piped = (...chunks: (string | Buffer)[]) => Readable.from(chunks);

describe("readInput", () => {
  it("joins the words to a title", async () => {
    expect(await read({ words: ["checkout", "is", "slow"] })).toEqual({
      requests: [{ title: "checkout is slow" }],
      notes: [],
    });
  });

  it("reads standard input, a file and a single dash as the text", async () => {
    const request = { title: "disk full on /data", logs: LOG };
    expect((await read({ stdin: piped(LOG) })).requests).toEqual([request]);
    expect((await read({ words: ["-"], stdin: piped(LOG) })).requests).toEqual([request]);
    expect((await read({ files: ["-"], stdin: piped(LOG) })).requests).toEqual([request]);
    expect((await read({ files: [await fileOf("a.log", LOG)] })).requests).toEqual([request]);
  });

  it("makes words the title, and a file or a pipe the evidence", async () => {
    const path = await fileOf("b.log", LOG);
    expect((await read({ words: ["uploads", "fail"], files: [path] })).requests).toEqual([
      { title: "uploads fail", logs: LOG },
    ]);
    expect((await read({ words: ["uploads", "fail"], stdin: piped(LOG) })).requests).toEqual([
      { title: "uploads fail", logs: LOG },
    ]);
    expect((await read({ words: ["why?"], stdin: piped(LOG), as: "question" })).requests).toEqual([
      { question: "why?", logs: LOG },
    ]);
    expect((await read({ stdin: piped(LOG), as: "question" })).requests).toEqual([
      { title: "disk full on /data", logs: LOG },
    ]);
  });

  it("asks a question about one alert, and about several in one request", async () => {
    const alert = (alertname: string) => ({
      labels: { alertname, service: "orders" },
      annotations: { summary: alertname },
    });
    const piping = (...alerts: unknown[]) => piped(JSON.stringify({ status: "success", data: { alerts } }));
    const firing = (name: string) => ({
      ...alert(name),
      state: "firing",
      activeAt: "2026-11-01T00:00:00Z",
      value: "1",
    });
    const words = ["why", "now?"];
    const one = await read({ words, stdin: piping(firing("HighLatency")), as: "question" });
    expect(one.requests).toMatchObject([
      { question: "why now?", title: "HighLatency", labels: { alertname: "HighLatency", service: "orders" } },
    ]);
    const two = await read({ words, stdin: piping(firing("HighLatency"), firing("PodDown")), as: "question" });
    expect(two.requests).toMatchObject([
      { question: "why now?", logs: expect.stringMatching(/HighLatency.*PodDown/s) },
    ]);
    const none = await read({ words, stdin: piped("[]"), as: "question" });
    expect(none.requests).toEqual([{ question: "why now?" }]);
  });

  it("puts the name of each of several files above its text", async () => {
    const [one, two] = [await fileOf("one", "first\nline"), await fileOf("two", LOG)];
    const { requests } = await read({ words: ["it", "is", "down"], files: [one, two] });
    expect(requests[0]?.logs).toBe(`==> ${one} <==\nfirst\nline\n==> ${two} <==\n${LOG}`);
  });

  it("refuses the path of a file as the only word, and says how to read it", async () => {
    const path = await fileOf("c.log", LOG);
    await expect(read({ words: [path] })).rejects.toThrow(
      `"${path}" is a file. To triage its content, pass --file ${path}.`,
    );
    await expect(read({ words: ["no-such.log"] })).rejects.toThrow('There is no file "no-such.log".');
    expect((await read({ words: [path, "is", "full"] })).requests).toEqual([{ title: `${path} is full` }]);
  });

  it("fills target and labels from a described object", async () => {
    const text =
      "Name:       checkout-7d9f\nNamespace:  shop\nPriority:   0\nContainers:\n  app:\n    State:     Waiting\n      Reason:  ErrImagePull\n";
    expect((await read({ stdin: piped(text) })).requests).toMatchObject([
      {
        title: "checkout-7d9f: ErrImagePull",
        target: "checkout-7d9f",
        labels: { namespace: "shop", pod: "checkout-7d9f" },
      },
    ]);
    expect((await read({ stdin: piped("Name: Peter\nsays hello\n") })).requests[0]).not.toHaveProperty("target");
  });

  it("cuts a log over the limit, and says what was kept", async () => {
    const line = "2026-03-01 02:55:10 INFO request served in time\n";
    const path = await fileOf("large.log", `${line.repeat(30_000)}${LOG}${line.repeat(30_000)}`);
    const { requests, notes } = await read({ files: [path] });
    expect(requests[0]?.title).toBe("disk full on /data");
    expect(triageRequestSchema.safeParse(requests[0]).error).toBeUndefined();
    expect(notes).toEqual([
      expect.stringMatching(
        /large\.log has 60,002 lines; [\d,]+ were kept: its start, its end and the error lines between them\.$/,
      ),
    ]);
  });
});

describe("a pipe that nobody asked for", () => {
  it("is left when it stays silent, with a note", async () => {
    const stdin = new PassThrough();
    const { requests, notes } = await read({ words: ["it", "is", "down"], stdin, firstByteTimeoutMs: 1 });
    expect(requests).toEqual([{ title: "it is down" }]);
    expect(notes).toEqual(['Standard input sent nothing for 0.001 s and was left out. Pass "-" to wait for it.']);
    expect(stdin.destroyed).toBe(true);
  });

  it("may be empty", async () => {
    expect(await read({ words: ["it", "is", "down"], stdin: piped() })).toEqual({
      requests: [{ title: "it is down" }],
      notes: [],
    });
  });
});

describe("a terminal", () => {
  const terminal = () => Object.assign(piped(LOG), { isTTY: true });

  it("gets a line that says how to end the input", async () => {
    const lines: string[] = [];
    await read({ stdin: terminal(), say: (text) => lines.push(text) });
    expect(lines).toEqual([expect.stringMatching(/^Reading standard input; end with Ctrl-/)]);
  });

  it("is not read when there are words", async () => {
    expect((await read({ words: ["it", "is", "down"], stdin: terminal() })).requests).toEqual([
      { title: "it is down" },
    ]);
  });
});

describe("encodings", () => {
  const text = "ERROR: Gerät nicht gefunden\r\nzweite Zeile\r\n";
  const utf16 = Buffer.from(text, "utf16le");
  it.each([
    ["UTF-8 with a mark", Buffer.from(`\ufeff${text}`), 0],
    ["UTF-16", Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), 0],
    ["UTF-16, big-endian", Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(utf16).swap16()]), 0],
    ["UTF-16 without a mark", utf16, 0],
    ["Latin-1", Buffer.from(text, "latin1"), 1],
    ["NUL bytes before the text", Buffer.concat([Buffer.alloc(4_097), Buffer.from(text)]), 0],
  ])("reads %s", async (_, bytes, notes) => {
    const input = await read({ stdin: piped(...[...bytes].map((byte) => Buffer.from([byte]))) });
    expect(input.requests).toEqual([{ title: "Gerät nicht gefunden", logs: text }]);
    expect(input.notes).toHaveLength(notes);
  });
});

describe("input that cannot be read", () => {
  const random = Buffer.from(Array.from({ length: 3_000 }, (_, i) => (i * 7_919) % 256));
  const sparse = Buffer.from(random.map((byte, i) => (byte < 32 && i % 2 === 0 ? 65 : byte)));
  it.each([
    ["nothing", {}, "There is nothing to triage."],
    ["an empty pipe", { stdin: piped() }, "Standard input is empty"],
    ["a dash without standard input", { words: ["-"] }, "Standard input is closed."],
    ["binary data", { stdin: piped(random) }, "Standard input is binary data"],
    ["binary data with fewer control characters", { stdin: piped(sparse) }, "Standard input is binary data"],
    [
      "compressed data",
      { stdin: piped(Buffer.from([0x1f, 0x8b, 8, 0])) },
      "is compressed (gzip). Decompress it first: gunzip",
    ],
    ["control characters only", { stdin: piped("\u001b[0m\u001b[1m\n") }, "Standard input is empty"],
    ["a missing file", { files: ["/nowhere/a.log"] }, "/nowhere/a.log does not exist. Check the path."],
    ["a folder", { files: [tmpdir()] }, "is a folder. Pass a file."],
  ])("is refused: %s", async (_, options: Partial<InputOptions>, message) => {
    await expect(read(options)).rejects.toThrow(message);
  });
});
