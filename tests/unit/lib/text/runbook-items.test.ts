import { describe, expect, it } from "vitest";
import { parseRunbookItems } from "../../../../lib/markdown/runbook-items.ts";

const texts = (body: string) => parseRunbookItems(body).map((item) => item.text);

describe("steps", () => {
  it("reads text, command, effect and undo of a numbered step", () => {
    const body = [
      "1. (changes state) Stop the old container that holds the port, if it serves no",
      "   traffic.",
      "",
      "   ```sh",
      "   docker stop <old-container>",
      "   ```",
      "",
      "   Undo: `docker start <old-container>`, after stopping the new holder",
      "   of the port.",
    ].join("\n");
    expect(parseRunbookItems(body)).toEqual([
      {
        text: "Stop the old container that holds the port, if it serves no traffic.",
        command: "docker stop <old-container>",
        effect: "changes_state",
        undo: "`docker start <old-container>`, after stopping the new holder of the port.",
      },
    ]);
  });

  it("take the options of a command as a part of the text above them", () => {
    const options = "These arguments are needed:\n\n- `-h`: the host\n- `--db`: the database";
    expect(texts(`Restore it with mongorestore.\n\n${options}`)).toEqual([
      "Restore it with mongorestore.",
      "These arguments are needed: `-h`: the host; `--db`: the database",
    ]);
  });

  it("are the rows of a table beside a remark, but not beside steps", () => {
    const table = "| Step | Command |\n|---|---|\n| Hold | `postsuper -h ALL` |";
    expect(texts(`Mail waits.\n\n${table}`)).toEqual(["Hold: `postsuper -h ALL`"]);
    expect(texts(`Restart it.\n\n${table}`)).toEqual(["Restart it."]);
  });

  it("have no command that is a sentence, such as the text of an alert, or a drawing", () => {
    const body = "The alert names the pod:\n\n```\nPod <mon-X... pod> on host <hostX> is slow.\n```\n\nRead its log.";
    expect(parseRunbookItems(body)).toMatchObject([{ text: "Read its log.", command: null }]);
    expect(parseRunbookItems("Look.\n\n```mermaid\ngraph TD\n```")).toMatchObject([{ text: "Look.", command: null }]);
  });

  it("are the paragraphs above a list of links, and links that name an instruction", () => {
    const help =
      "If that does not help, see:\n\n- [OKD Help](https://okd.example/help)\n- [#virtualization](https://chat.example)";
    expect(texts(`Delete the data volume.\n\n${help}`)).toEqual(["Delete the data volume."]);
    expect(texts("1. [Restore the backup](restore.md)\n2. Start it.")).toEqual([
      "[Restore the backup](restore.md)",
      "Start it.",
    ]);
  });

  it("reads a read-only step without an undo", () => {
    expect(parseRunbookItems("1. (read-only) List the pods.\n\n   ```sh\n   kubectl get pods\n   ```")).toEqual([
      { text: "List the pods.", command: "kubectl get pods", effect: "read_only", undo: null },
    ]);
  });

  it("reads several steps, each with its own code", () => {
    const body =
      "1. First.\n\n   ```sh\n   one\n   ```\n\n2. Second, without code.\n\n3. Third.\n\n   ```sql\n   three;\n   ```";
    expect(parseRunbookItems(body).map(({ text, command }) => [text, command])).toEqual([
      ["First.", "one"],
      ["Second, without code.", null],
      ["Third.", "three;"],
    ]);
  });

  it("keeps the lines and the relative indentation of a command", () => {
    const body = "1. Look.\n\n   ```sql\n   SELECT a,\n          b\n\n   FROM t;\n   ```";
    expect(parseRunbookItems(body)[0]?.command).toBe("SELECT a,\n       b\n\nFROM t;");
  });

  it("returns null for an effect that the author does not declare", () => {
    expect(parseRunbookItems("1. Restart it.")[0]).toEqual({
      text: "Restart it.",
      command: null,
      effect: null,
      undo: null,
    });
  });

  it.each([
    ["Restart it (changes state).", "Restart it.", "changes_state"],
    ["Restart it (changes state) and wait.", "Restart it and wait.", "changes_state"],
    ["Look (read-only).", "Look.", "read_only"],
    ["Look (Read-only)", "Look", "read_only"],
    ["**Look** (read-only): `uptime`", "Look: `uptime`", "read_only"],
    ["Look at `uptime` (read-only).", "Look at `uptime`.", "read_only"],
    ["(read-only) Look, then fail over (changes state).", "Look, then fail over.", "changes_state"],
    [
      "A disk that is mounted (read-only) takes no writes.",
      "A disk that is mounted (read-only) takes no writes.",
      null,
    ],
    ["Search for (read-only) `errors`.", "Search for (read-only) `errors`.", null],
    ["Search for `remounted (read-only)`.", "Search for `remounted (read-only)`.", null],
  ])("reads the declared effect of %j", (sentence, text, effect) => {
    expect(parseRunbookItems(`1. ${sentence}`)).toEqual([{ text, command: null, effect, undo: null }]);
  });

  it("reads the effect and the undo in any letter case", () => {
    expect(parseRunbookItems("1. (Changes State) Do it.\n\n   UNDO: undo it.")).toEqual([
      { text: "Do it.", command: null, effect: "changes_state", undo: "undo it." },
    ]);
  });

  it("are two where a sentence parts two codes of an item", () => {
    const code = (command: string) => `\n\n  \`\`\`\n  ${command}\n  \`\`\`\n\n`;
    const step = `1. Find the pod:${code("kubectl get pods")}  Then delete it:${code("kubectl delete pod x")}`;
    expect(parseRunbookItems(step)).toMatchObject([
      { text: "Find the pod:", command: "kubectl get pods" },
      { text: "Then delete it:", command: "kubectl delete pod x" },
    ]);
  });

  it.each([
    ["is part of it", "sh", "kubectl get svc", "kubectl get pods\nkubectl get svc"],
    ["may have no language", "", "kubectl get svc", "kubectl get pods\nkubectl get svc"],
    ["is the output of the first", "", "NAME   READY", "kubectl get pods"],
  ])("whose code has another code below it: it %s", (_, language, code, command) => {
    const step = `1. Look:\n\n  \`\`\`sh\n  kubectl get pods\n  \`\`\`\n  \`\`\`${language}\n  ${code}\n  \`\`\``;
    expect(parseRunbookItems(step)).toMatchObject([{ text: "Look:", command }]);
  });

  it("keep the command that a sentence about an output announces", () => {
    const code = (text: string) => `\`\`\`\n${text}\n\`\`\``;
    const body = `You can see the errors by running:\n\n${code("stern shop")}\n\n${code("shop-0 failed")}`;
    expect(parseRunbookItems(body)).toMatchObject([
      { text: "You can see the errors by running:", command: "stern shop" },
    ]);
  });

  it("are no remarks beside the steps", () => {
    const remark = "Note: It takes a minute.";
    expect(parseRunbookItems(`${remark}\n\nRestart it:\n\n${remark}\n\nNote: Check the queue.`)).toMatchObject([
      { text: "Restart it. Note: It takes a minute." },
      { text: "Note: Check the queue." },
    ]);
  });

  it("have no line that announces an output, and no output", () => {
    const output = 'Expected output:\n\n```json\n{"ready": 1}\n```';
    expect(parseRunbookItems(`Look:\n\n\`\`\`\nkubectl get pods\n\`\`\`\n\n${output}\n\nWait.`)).toMatchObject([
      { text: "Look:", command: "kubectl get pods" },
      { text: "Wait.", command: null },
    ]);
  });

  it("of a task list are steps, and each nested step counts", () => {
    expect(parseRunbookItems("- [ ] Restart the pod")).toMatchObject([{ text: "Restart the pod" }]);
    expect(parseRunbookItems("1. Check the pod\n   - Read its log\n   - Delete the PVC")).toMatchObject([
      { text: "Check the pod; Read its log; Delete the PVC" },
    ]);
  });

  it("does not use the code of an undo as the command", () => {
    const body = "1. (changes state) Switch it off in the console.\n\n   Undo:\n\n   ```sh\n   switch on\n   ```";
    expect(parseRunbookItems(body)[0]?.command).toBeNull();
  });

  it("does not treat a line of code as a step or an undo", () => {
    const body = "1. Write the file.\n\n   ```yaml\n- name: a\n1. b\nUndo: c\n   ```\n\n2. Next.";
    expect(parseRunbookItems(body)).toEqual([
      { text: "Write the file.", command: "- name: a\n1. b\nUndo: c", effect: null, undo: null },
      { text: "Next.", command: null, effect: null, undo: null },
    ]);
  });
});

describe("the end of a code fence", () => {
  it("is a marker alone on its line; a marker with a language is code", () => {
    const body = "1. Write the file.\n\n```md\n```sh\n2. no step\n```  \n\n   Undo: remove it.\n\n3. Next.";
    expect(parseRunbookItems(body)).toEqual([
      { text: "Write the file.", command: "```sh\n2. no step", effect: null, undo: "remove it." },
      { text: "Next.", command: null, effect: null, undo: null },
    ]);
  });
});

describe("bullets", () => {
  it.each(["-", "*", "+", "1.", "12)"])("reads items with the marker %j", (mark) => {
    expect(texts(`${mark} One\n${mark} Two`)).toEqual(["One", "Two"]);
  });

  it("removes the emphasis of a bold cause", () => {
    expect(texts("- **Leftover container.** `docker ps` shows an\n  old name.\n- **Twice.** Both claim it.")).toEqual([
      "Leftover container. `docker ps` shows an old name.",
      "Twice. Both claim it.",
    ]);
  });

  it("joins nested bullets to their item", () => {
    expect(texts("- One\n  - detail\n  - more\n- Two")).toEqual(["One; detail; more", "Two"]);
  });

  it("keeps a number that a line begins with, and the paragraph below a list apart", () => {
    expect(texts("1. Raise it (here\n   100) to 200.\n2. Wait.")).toEqual(["Raise it (here 100) to 200.", "Wait."]);
    expect(texts("- a\n- b\n\nLess often, the disk is broken.")).toEqual(["a", "b", "Less often, the disk is broken."]);
  });

  it("skips a line above a list", () => {
    expect(texts("Work from the top:\n\n1. First.\n2. Second.")).toEqual(["First.", "Second."]);
  });
});

describe("a section without a list", () => {
  it("returns one item for each paragraph", () => {
    expect(texts("The disk is\nfull.\n\nThe inodes are used up.")).toEqual([
      "The disk is full.",
      "The inodes are used up.",
    ]);
  });

  it("assigns code to the paragraph before it", () => {
    expect(parseRunbookItems("Look:\n\n```sh\ndf -h\n```\n\nThen clean up.")).toEqual([
      { text: "Look:", command: "df -h", effect: null, undo: null },
      { text: "Then clean up.", command: null, effect: null, undo: null },
    ]);
  });

  it("ignores lists in its code", () => {
    expect(texts("First.\n\n```yaml\n- name: a\n```\n\nSecond.")).toEqual(["First.", "Second."]);
  });
});

describe("a table", () => {
  const TABLE = "| Cause | Fix |\n|---|---|\n| The **disk** is full | Extend it |\n| n/a | Wait |";

  it("alone is an item for each row", () => {
    expect(texts(TABLE)).toEqual(["The disk is full: Extend it", "Wait"]);
  });

  it("beside a list or paragraphs is none", () => {
    expect(texts(`Look.\n\n${TABLE}`)).toEqual(["Look."]);
    expect(texts(`- Look.\n\n${TABLE}`)).toEqual(["Look."]);
  });
});

describe("a command behind a prompt", () => {
  it("is the command without its output", () => {
    expect(parseRunbookItems("- Look:\n  ```\n  $ df -h\n  /dev/sda1 100%\n  ```")[0]?.command).toBe("df -h");
  });
});

describe("a section without items", () => {
  it.each([
    "TODO",
    "TBD.",
    "- TODO: write this",
    "n/a",
    "- None",
    "To be written",
    "*To be done later.*",
    "See also [b](b.md).",
    "...",
  ])("has only %j", (body) => {
    expect(parseRunbookItems(body)).toEqual([]);
  });

  it.each(["", "\n\n", "```sh\nls\n```"])("returns no item for %j", (body) => {
    expect(parseRunbookItems(body)).toEqual([]);
  });

  it("reads an unclosed fence as the command", () => {
    expect(parseRunbookItems("1. Look.\n\n   ```sh\n   df -h")).toEqual([
      { text: "Look.", command: "df -h", effect: null, undo: null },
    ]);
  });

  it("accepts Windows line ends", () => {
    const body = "1. (changes state) Do.\n\n   ```sh\n   a\n   b\n   ```\n\n   Undo: c.\n2. Next.";
    expect(parseRunbookItems(body.replaceAll("\n", "\r\n"))).toEqual(parseRunbookItems(body));
  });
});

describe("the item of a check", () => {
  const check = (info: string, query = "up") => [
    `\`\`\`${info}`,
    query,
    "```",
    "- **confirms**: any > 0.9: the slots are nearly used up",
    '- refutes: `all < "a: b"`: look for a network cause.',
    "- else: inconclusive",
  ];
  const SENTENCE =
    'Check "slots": confirms if any > 0.9 (the slots are nearly used up); refutes if all < "a: b" (look for a network cause).';
  const indent = (lines: string[]) => lines.map((line) => `   ${line}`);

  it("is its sentence and its query", () => {
    expect(parseRunbookItems(check("promql {check=slots}").join("\n"))).toEqual([
      {
        text: SENTENCE,
        command: "up",
        effect: "read_only",
        undo: null,
        check: { name: "slots", language: "promql", isAlone: true },
      },
    ]);
  });

  it("is part of the item above it, whose sentence stays", () => {
    const body = ["1. Count the slots:", "", ...indent(check("promql {check=slots}")), "", "2. Next."].join("\n");
    expect(parseRunbookItems(body)).toEqual([
      {
        text: `Count the slots. ${SENTENCE}`,
        command: "up",
        effect: "read_only",
        undo: null,
        check: { name: "slots", language: "promql", isAlone: false },
      },
      { text: "Next.", command: null, effect: null, undo: null },
    ]);
  });

  it("is an item of its own beside an item with a command", () => {
    const step = ["1. Count the slots:", "   ```sh", "   uptime", "   ```"];
    const [first, second, third] = parseRunbookItems(
      [...step, ...indent(check("promql {check=slots}")), "", "   More.", "2. Next."].join("\n"),
    );
    expect(first).toEqual({ text: "Count the slots: More.", command: "uptime", effect: null, undo: null });
    expect(second).toMatchObject({ text: SENTENCE, check: { isAlone: true } });
    expect(third).toMatchObject({ text: "Next." });
  });

  it("follows a paragraph, and a second one is an item of its own", () => {
    const body = [
      "Count the slots.",
      "",
      ...check("promql {check=slots}"),
      "",
      ...check("logql {check=b}"),
      "",
      "Then look.",
    ];
    expect(texts(body.join("\n"))).toEqual([
      `Count the slots. ${SENTENCE}`,
      SENTENCE.replace("slots", "b"),
      "Then look.",
    ]);
  });

  it("has a command for kubectl, and an effect only in languages that cannot change anything", () => {
    const [k8s] = parseRunbookItems(check("k8s {check=slots}", "get pod <pod>").join("\n"));
    expect(k8s).toMatchObject({ command: "kubectl get pod <pod>", effect: null });
    const [sql] = parseRunbookItems(check("sql {check=slots}", "drop table a").join("\n"));
    expect(sql).toMatchObject({ command: "drop table a", effect: null });
    const inline = ["- Run `kubectl delete pod x`:", ...indent(check("promql {check=slots}"))];
    expect(parseRunbookItems(inline.join("\n"))).toMatchObject([{ effect: null }]);
  });
});

describe("code alone in a section of steps", () => {
  it("is a step for each comment, with the commands below it", () => {
    const body = [
      "```bash",
      "# Rebuild it",
      "npm ci",
      "npm run build",
      "",
      "# Clear the cache",
      "# Reload hard",
      "```",
    ];
    expect(parseRunbookItems(body.join("\n"), { areSteps: true })).toMatchObject([
      { text: "Rebuild it", command: "npm ci\nnpm run build" },
      { text: "Clear the cache. Reload hard", command: null },
    ]);
    expect(parseRunbookItems("```\nkubectl get pods\n```", { areSteps: true })).toMatchObject([
      { text: "Run this command.", command: "kubectl get pods" },
    ]);
    expect(parseRunbookItems("```\nERROR 500\n```")).toEqual([]);
  });

  it("is a step for each code, and an order in its heading names the first", () => {
    expect(parseRunbookItems("```\nls\n```\n```\nps\n```", { areSteps: true, heading: "List them" })).toMatchObject([
      { text: "List them", command: "ls" },
      { text: "Run this command.", command: "ps" },
    ]);
  });
});
