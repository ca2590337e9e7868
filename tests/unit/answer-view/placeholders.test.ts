import fc from "fast-check";
import { parse } from "unbash";
import { describe, expect, it } from "vitest";
import {
  commandsOf,
  isSafeInCommand,
  placeholderNotes,
  placeholdersIn,
  withPlaceholders,
} from "../../../functions/answer-view/placeholders.ts";
import { EMPTY_ANSWER } from "../../../functions/schemas/answer.ts";
import { stepOf } from "../routes/slack/samples.ts";

const HOSTILE = [
  ...[
    "x; rm -rf /",
    "$(reboot)",
    "`reboot`",
    "a|b",
    "a&b",
    "a>b",
    "a\nb",
    "a b",
    "'x'",
    '"x"',
    "a\\b",
    "a*",
    "a?",
    "~root",
  ],
  ...[
    "-rf",
    "--all",
    "a--b",
    "../../etc",
    "a/../b",
    "/etc/passwd",
    "http://evil.example",
    "a//b",
    "x=1",
    "!1",
    "#x",
    "{a,b}",
  ],
  ...[
    "",
    " ",
    "[REDACTED_AWS_KEY]",
    "[redacted_password]",
    "pod-",
    ".pod",
    "pod\u202egnp",
    "p\u043ed",
    "pod\u200b",
    "pod\u0000",
    "ｐod",
  ],
  "a".repeat(254),
];

const NEARLY_SAFE = fc.constantFrom(..."abz19.-:/@_;|&$ '");

describe("a name in a command", () => {
  it.each([
    "checkout-7d9f8",
    "shop",
    "10.0.0.7:9100",
    "db/orders",
    "v1.2.3_rc",
    "rabbit@node-1",
    "5432",
    "a".repeat(253),
  ])("may be %j", (name) => {
    expect(isSafeInCommand(name)).toBe(true);
    expect(withPlaceholders("ctl get <pod>", { "<pod>": name })).toBe(`ctl get ${name}`);
  });

  it.each(HOSTILE)("is never %j", (name) => {
    expect(isSafeInCommand(name)).toBe(false);
    expect(withPlaceholders("ctl get <pod>", { "<pod>": name })).toBe("ctl get <pod>");
  });

  it("leaves the command one command with the same number of words, for any label", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: NEARLY_SAFE, minLength: 1, maxLength: 12 })),
        (name) => {
          const command = withPlaceholders("ctl get pod <pod> --all", { "<pod>": name });
          if (command === "ctl get pod <pod> --all") return;
          const [statement, ...others] = parse(command).commands;
          expect(others).toEqual([]);
          expect(statement?.command).toMatchObject({ type: "Command" });
          expect(command.split(/\s+/)).toEqual(["ctl", "get", "pod", name, "--all"]);
        },
      ),
    );
  });
});

describe("placeholders", () => {
  it("are read in lower case, each once, and not from a redirection of a text", () => {
    expect(placeholdersIn("ctl logs <Pod> -c <container> <pod> <<EOF>x <a b> <1> <>")).toEqual([
      "<pod>",
      "<container>",
    ]);
  });

  it("are replaced wherever they stand, also in quotes and within a word", () => {
    const placeholders = { "<table>": "orders", "<user>": "app" };
    expect(withPlaceholders("ALTER TABLE <table>_new; SHOW '<user>'@'<host>'", placeholders)).toBe(
      "ALTER TABLE orders_new; SHOW 'app'@'<host>'",
    );
  });

  it.each(["<constructor>", "<toString>", "<hasOwnProperty>"])("named %s stay", (placeholder) => {
    expect(withPlaceholders(placeholder, {})).toBe(placeholder);
  });

  it("are not replaced twice", () => {
    expect(withPlaceholders("<a> <b>", { "<a>": "b", "<b>": "c" })).toBe("b c");
  });
});

describe("the commands of an answer", () => {
  const step = stepOf({ command: "get <pod>", undo: "`put <pod>`" });
  const possible = { text: "", title: "", probability: 0.5, citations: [], confirm: [step] };
  const answer = {
    ...EMPTY_ANSWER,
    summary: { text: "<pod>", citations: [] },
    confirm: [step],
    mitigate: [step],
    look_next: [step],
    possible_causes: [possible],
  };

  it("are those of all its steps, and those that undo them", () => {
    expect(commandsOf(answer)).toEqual(Array.from({ length: 4 }, () => ["get <pod>", "`put <pod>`"]).flat());
  });
});

describe("the notes on names", () => {
  it("say which are from the report, and which people replace", () => {
    expect(placeholderNotes(["get <pod> <role>", "put <pod> <n>"], { "<pod>": "p-1", "<node>": "n-1" })).toEqual([
      { kind: "from_report", text: "From the report: <pod> is p-1." },
      { kind: "to_replace", text: "Replace <role>, <n>." },
    ]);
  });

  it("are none without placeholders", () => {
    expect(placeholderNotes(["get"], { "<pod>": "p-1" })).toEqual([]);
  });
});
