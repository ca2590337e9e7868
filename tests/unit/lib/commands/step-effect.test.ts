import { describe, expect, it } from "vitest";
import { inlineCommands, stepEffect } from "../../../../lib/commands/step-effect.ts";

describe("a command in a code span", () => {
  it.each([
    ["Remove it: `kubectl delete pod x`", "changes_state"],
    ["Remove it: `$ kubectl delete pod <pod>`", "changes_state"],
    ["Remove it: ``echo `kubectl delete pod x` ``", "changes_state"],
    ["Restart it with `sudo /usr/bin/systemctl restart nginx`.", "changes_state"],
    ["Clear it: `redis-cli flushall`", "changes_state"],
    ["Run `reboot`.", "changes_state"],
    ["Run `VACUUM`.", "changes_state"],
    ["`DROP TABLE orders`", "changes_state"],
    ["`delete from orders where id = 1`", "changes_state"],
    ["`alter system set work_mem = '4MB'`", "changes_state"],
    ["`cat a > b`", "changes_state"],
    ["Look at `kubectl get pods`, then `kubectl delete pod x`.", "changes_state"],
    ["`kubectl frobnicate pods`", null],
    ["`helm rollback web 3`", "changes_state"],
    ["`payctl route --to secondary`", null],
    ["`./fail-over.sh --force`", null],
  ])("counts in %j", (text, effect) => {
    expect(inlineCommands(text).map((each) => each.effect)).toEqual([effect]);
  });

  it.each([
    "List them: `kubectl get pods`",
    "See `SELECT * FROM pg_stat_activity`.",
    "Compare `max_connections`, `work_mem = 4MB` and `postgresql.conf`.",
    "It is `OOMKilled` with `exit code 137`.",
    "`update failed`, `create container error`, `drop in traffic`, `table is full`",
    "`node not ready`, `too many clients already`, `unknown flag --foo`",
    "Find who sent `kill -9` or `docker stop`.",
    "Wait for `VACUUM` to end, then read `SELECT ... FOR UPDATE`.",
    "See `/var/log/syslog`, `ldd --version` and `values.yaml`.",
    "A lone ` backtick before kubectl delete pod x, and `` two.",
    "`",
    "",
  ])("does not count in %j", (text) => {
    expect(inlineCommands(text)).toEqual([]);
  });

  it("is not found in a long text of code marks", () => {
    expect(inlineCommands("` `` ``` ".repeat(20_000))).toEqual([]);
  });
});

describe("the effect of a step", () => {
  it.each([
    ["Look.", null, null],
    ["Look: `uptime`", null, null],
    ["Restart it.", null, "changes_state"],
    ["Restart it if `uptime` is long.", null, "changes_state"],
    ["Restart it.", "uptime", "read_only"],
    ["Look.", "uptime", "read_only"],
    ["Look: `uptime`", "uptime", "read_only"],
    ["Remove it with `rm x`.", "uptime", "changes_state"],
    ["Run `payctl stop --all`.", "uptime", "unverified"],
    ["Run `payctl stop --all`.", "rm x", "changes_state"],
  ])("of the sentence %j and the command %j is %s", (text, command, effect) => {
    expect(stepEffect({ text, command })).toBe(effect);
  });

  it.each([
    ["Look.", null, "read_only", null],
    ["Set the filter of your client.", null, "read_only", null],
    ["List them: `payctl list --all`", null, "read_only", "read_only"],
    ["Look.", "rm -i x", "read_only", "read_only"],
    ["Stop it.", null, "changes_state", "changes_state"],
    ["Stop it.", "uptime", "changes_state", "changes_state"],
  ] as const)(
    "of the sentence %j and the command %j, whose author declares it as %s, is %s",
    (text, command, declared, effect) => {
      expect(stepEffect({ text, command, effect: declared })).toBe(effect);
    },
  );
});
