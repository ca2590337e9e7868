import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commandEffect } from "../../../../lib/commands/command-effect.ts";
import { CHANGING, QUERIES, READING } from "./examples.ts";
import { NOT_READING } from "./not-reading.ts";

describe("commandEffect", () => {
  it.each([...READING, ...QUERIES, "ping -c 3 <host or address>"])("is read_only for %j", (command) => {
    expect(commandEffect(command)).toBe("read_only");
  });

  it.each(CHANGING)("is changes_state for %j", (command) => {
    expect(commandEffect(command)).toBe("changes_state");
  });

  it.each(Object.entries(NOT_READING))("is never read_only for %s", (_reason, commands) => {
    expect(commands.filter((command) => commandEffect(command) === "read_only")).toEqual([]);
  });

  it.each(["", "frobnicate --all", "sort -o file file", "SELECT my_function(1)", "kubectl logs <pod|job> -n shop"])(
    "is null for %j, which is not known to change anything",
    (command) => {
      expect(commandEffect(command)).toBeNull();
    },
  );

  it.each([
    "oc logs <rook-osd-* pod> -n rook",
    "curl http://<host:port>/health",
    "Monitor <mon-X... pod> on host <hostX> has seen <X> leader",
  ])("is null for %j, whose redirections may be placeholders", (command) => {
    expect(commandEffect(command)).toBeNull();
  });

  it("is null for more than 4,000 characters", () => {
    expect(commandEffect(`ls ${"a".repeat(3_997)}`)).toBe("read_only");
    expect(commandEffect(`ls ${"a".repeat(3_998)}`)).toBeNull();
  });
});

const isSql = (command: string) => /^(?:[A-Z]{3}|select|\\)/.test(command);
const reading = fc.constantFrom(...READING);
// In a here-document or a comment, an appended text is data.
const readingShell = fc.constantFrom(...READING.filter((command) => !isSql(command) && !/<<|#/.test(command)));
const changingShell = fc.constantFrom(
  ...CHANGING.filter((command) => !isSql(command) && !/<<|#/.test(command) && !command.endsWith("&")),
);
// A line can complete a pipeline, and stands beside a comment.
const notReading = fc.constantFrom(
  ...Object.values(NOT_READING)
    .flat()
    .filter((command) => !/^#|\|$/.test(command)),
);
const separator = fc.constantFrom("; ", " && ", " || ", "\n", " & ", " | ");

describe("a command of several parts", () => {
  it("is read_only where each part is", () => {
    fc.assert(
      fc.property(fc.array(readingShell, { minLength: 1, maxLength: 3 }), separator, (parts, between) => {
        // A part that sets a variable makes the expansions of the others unknown.
        fc.pre(
          !parts.some((part) => /^(?:(?:export|readonly|declare|local|typeset) (?:-\w+ )*)?\w+=|\bfor\b/.test(part)),
        );
        expect(commandEffect(parts.join(between))).toBe("read_only");
      }),
    );
  });

  it("is changes_state where one part is", () => {
    fc.assert(
      fc.property(
        fc.array(readingShell),
        separator,
        changingShell,
        fc.array(readingShell),
        (before, by, part, after) => {
          expect(commandEffect([...before, part, ...after].join(by))).toBe("changes_state");
        },
      ),
    );
  });

  it.each([
    "; rm -rf x",
    " && rm x",
    " || rm -rf x",
    " | xargs rm",
    " & rm x",
    "\nrm x",
    " $(rm x)",
    " `rm x`",
    "; frobnicate",
    "; drop table t",
    " # ; rm x",
  ])("is never read_only once %j is appended", (appended) => {
    fc.assert(
      fc.property(reading, (command) => {
        // In a here-document or a comment, an appended text is data.
        fc.pre(!/<<|#/.test(command));
        expect(commandEffect(command + appended)).not.toBe("read_only");
      }),
      { numRuns: READING.length },
    );
  });

  it.each([" > file", " >> file", " &> file", " > >(sh)", " | sh"])(
    "is never read_only once %j is appended",
    (appended) => {
      fc.assert(
        fc.property(readingShell, (command) => {
          expect(commandEffect(command + appended)).not.toBe("read_only");
        }),
      );
    },
  );

  it.each(["; ls", " && ls", "\nls"])("of which one part is not read_only is not, either: %j", (appended) => {
    fc.assert(
      fc.property(notReading, (command) => {
        expect(commandEffect(command + appended)).not.toBe("read_only");
      }),
    );
  });
});

describe("a command within a command", () => {
  it.each([
    (inner: string) => `echo "$(${inner})"`,
    (inner: string) => `sudo ${inner}`,
    (inner: string) => `timeout 5 ${inner}`,
    (inner: string) => `sh -c '${inner}'`,
    (inner: string) => `kubectl exec api-0 -- ${inner}`,
    (inner: string) => `docker exec web ${inner}`,
    (inner: string) => `find . -exec ${inner} \\;`,
    (inner: string) => `{ ${inner}; }`,
    (inner: string) => `if true; then ${inner}; fi`,
  ])("decides: %s", (wrap) => {
    for (const inner of ["cat x", "systemctl status x"]) expect(commandEffect(wrap(inner))).toBe("read_only");
    for (const inner of ["rm x", "systemctl stop x"]) expect(commandEffect(wrap(inner))).toBe("changes_state");
    expect(commandEffect(wrap("frobnicate"))).toBeNull();
  });
});

describe("any text", () => {
  const PIECES =
    "$( ` ' \" <<E < > >( \\ ( ) { } [[ case if for ls rm ; & | -- - $$ -c psql find -exec select $' * ! #".split(" ");
  const piece = fc.constantFrom(...PIECES, "/*", " ", "\n");
  const text = fc.oneof(
    fc.string(),
    fc.array(piece).map((pieces) => pieces.join("")),
    fc.array(piece).map((pieces) => pieces.join(" ")),
  );

  it("has an effect", () => {
    fc.assert(
      fc.property(text, (command) => {
        expect(["read_only", "changes_state", null]).toContain(commandEffect(command));
      }),
    );
  });

  it.each([
    ...PIECES,
    "ls;",
    "sudo ",
    "select (",
    "select '",
    "select a",
    '"$(',
    "$((",
    "a=",
    "sed '/ ",
    "awk 'print ",
    "-a",
  ])("is answered, however often %j is repeated, up to a limit of length", (unit) => {
    const repeated = unit.repeat(4_000 / unit.length);
    for (const start of ["", "select ", "sed ", "psql -c '", "curl "])
      expect([null, "read_only", "changes_state"]).toContain(commandEffect((start + repeated).slice(0, 4_000)));
    expect(commandEffect(repeated.repeat(100))).toBeNull();
  });
});
