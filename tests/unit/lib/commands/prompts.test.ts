import { describe, expect, it } from "vitest";
import { withoutPrompts } from "../../../../lib/commands/prompts.ts";

describe("a command behind a prompt", () => {
  it.each([
    ["$ df -h\nFilesystem  Size\n/dev/sda1  100G\n$ uptime", "df -h\nuptime"],
    ["dana@web-1:~$ df -h\n/dev/sda1", "df -h"],
    ["[root@web-1 ~]# df -h", "df -h"],
    ["# systemctl status web\n● web.service", "systemctl status web"],
    ["> show databases;\nshop", "show databases;"],
    ["postgres=# select 1;\n 1", "select 1;"],
    ["shop=> select a\nshop-> from b;\n a\n---", "select a\nfrom b;"],
    ["mysql> show processlist;\n+----+", "show processlist;"],
    ["127.0.0.1:6379> info\n# Server", "info"],
    ["$ kubectl get pods \\\n    -n shop\nNAME", "kubectl get pods \\\n    -n shop"],
    ["$ kubectl get pods |\n  xargs kubectl delete pod\nNAME", "kubectl get pods |\n  xargs kubectl delete pod"],
    ["$ cat <<EOF | kubectl apply -f -\nkind: Pod\nEOF\npod", "cat <<EOF | kubectl apply -f -\nkind: Pod\nEOF"],
    ["$ for i in a b; do\n kubectl delete pod $i\n done\nok", "for i in a b; do\n kubectl delete pod $i\n done"],
    ["$ kubectl get pods\nNAME READY\nweb 0/1\n\nkubectl delete pod web", "kubectl get pods\nkubectl delete pod web"],
  ])("%j is %j", (code, command) => {
    expect(withoutPrompts(code)).toBe(command);
  });

  it.each([
    "df -h",
    "# Find the pods\nkubectl get pods",
    "# top of the list\nkubectl get pods",
    "sort a > b",
    "echo $HOME",
    "sum(rate(a[5m]))\n> 5",
    "# a comment alone",
  ])("is none in %j", (code) => {
    expect(withoutPrompts(code)).toBe(code);
  });
});
