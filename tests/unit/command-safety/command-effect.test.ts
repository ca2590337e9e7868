import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readRunbooks } from "../../../cli/runbook-files.ts";
import { commandEffect } from "../../../functions/command-safety/command-effect.ts";
import { parseSections } from "../../../functions/retrieval/text/markdown-sections.ts";
import { parseRunbookItems } from "../../../functions/retrieval/text/runbook-items.ts";
import { DOMAIN_NAMES } from "../../../functions/schemas/domain.ts";

const READING = [
  "docker ps -a",
  "docker --context prod ps",
  "docker logs --tail 100 <container>",
  "docker network ls",
  "docker -l info inspect web",
  "docker system df",
  "docker compose -f stack.yml ps",
  "docker compose logs --tail 50 db",
  "docker-compose config",
  "docker exec <container> cat /etc/resolv.conf",
  "docker exec -u 0 -e A=b web sh -c 'ls -l /tmp; id'",
  "docker compose exec -T db psql -U postgres -c 'select 1'",
  "docker save web | sha256sum",
  "podman pod inspect web",
  "podman login --get-login registry.example",
  "podman unshare ls -ldn /srv",
  "podman system check --quick",
  "nerdctl -n k8s.io ps",
  "crictl ps -a",
  "ctr -n k8s.io containers ls",
  "kubectl -n prod get pods",
  "kubectl --kubeconfig /tmp/k --context=blue describe pod api",
  "kubectl get pods -o jsonpath='{range .items[*]}{.metadata.name}{\"\\n\"}{end}'",
  "kubectl logs <pod> -n <namespace> --previous",
  "kubectl logs <pod|deployment> -n prod",
  "kubectl auth can-i delete pods",
  "kubectl rollout status deployment/api",
  "kubectl rollout history deployment/api",
  "kubectl config view",
  "kubectl drain node-1 --dry-run=server",
  "kubectl exec -n prod api-0 -c app -- cat /etc/hosts",
  "kubectl exec api-0 -- sh -c 'df -h | tail -n 1'",
  "kubectl get pods | grep -v Running | awk '{print $1}'",
  "kubectl top pod --containers",
  "k get events",
  "helm -n prod history api",
  "helm get values api",
  "helm upgrade api ./chart --dry-run",
  "systemctl status docker",
  "systemctl --user show app.service -p NRestarts",
  "systemctl --failed",
  "systemctl -H host is-active nginx",
  "journalctl -u kubelet --since '1 hour ago' --no-pager",
  "loginctl show-user deploy",
  "timedatectl",
  "dmesg -T | grep -i oom",
  "sudo -u postgres psql -Atc 'SELECT count(*) FROM pg_stat_activity'",
  "psql -h db -p 6432 -U admin pgbouncer -c 'SHOW POOLS'",
  "psql <<EOF\nSELECT 1;\nEOF",
  "psql -c '\\dt+'",
  "pg_isready -h db",
  "pg_ctl -D /data status",
  "pg_dump -t orders shop | head",
  "SELECT pid, state FROM pg_stat_activity WHERE state <> 'idle';",
  "select 'delete from t; drop table x', \"a\" from t -- ; drop table t",
  "WITH b AS (SELECT 1) SELECT count(*) FROM b",
  "EXPLAIN (VERBOSE) DELETE FROM t",
  "EXPLAIN ANALYZE SELECT * FROM t",
  "EXPLAIN (ANALYZE, BUFFERS) SELECT 1",
  "EXPLAIN (ANALYZE off) UPDATE t SET a = 1",
  "BEGIN READ ONLY; SET LOCAL enable_indexscan = off; SELECT 1; COMMIT;",
  "SHOW work_mem;",
  "COPY t TO STDOUT",
  "/* who waits */ SELECT pg_blocking_pids(pid) FROM pg_locks",
  "df -h; df -i",
  "du -xh -d 1 /var | sort -h | tail",
  "sed -n '1,5p' /etc/hosts",
  "sed 's/a/b/' file",
  "awk '$3 > 5 {print $1}' file",
  "find /var/log -name '*.log' -size +1M -exec ls -l {} +",
  "ls /tmp 2>/dev/null",
  "ls /nope > /dev/null 2>&1",
  "cat < /etc/hosts",
  "diff <(kubectl get cm a -o yaml) <(kubectl get cm b -o yaml)",
  'echo "$(docker ps -q | wc -l) > 3; rm -rf /"',
  "echo $((1 + 2))",
  "X=$(kubectl get pod -o name); kubectl logs $X",
  "for p in $(kubectl get pods -o name); do kubectl logs $p; done",
  "if systemctl is-active docker; then echo up; fi",
  "kubectl get pods # then kubectl delete pod x",
  "# which pods?\nkubectl get pods",
  "kubectl get pods \\\n  -n prod",
  "watch -n 2 'kubectl get pods | tail'",
  "timeout -k 1 5 curl -sS http://localhost/health",
  "env LC_ALL=C sort file",
  "xargs -n 1 kubectl describe pod",
  "ssh -p 22 host 'journalctl -n 5'",
  "nsenter -t 1 -n ss -ltn",
  "bash -lc 'uptime && free -m'",
  "su - postgres -c \"psql -c 'select 1'\"",
  "command -v docker",
  "/usr/bin/kubectl get pods",
  "curl -sS -m 5 -o /dev/null -w '%{http_code}' http://localhost",
  "curl -X GET http://localhost",
  "curl -G -d q=1 http://localhost",
  "curl -I http://localhost",
  "wget -qO- -T 5 http://localhost/health",
  "wget --spider http://localhost",
  "openssl s_client -connect db:5432 </dev/null 2>/dev/null | openssl x509 -noout -dates",
  "ip route",
  "ip -br addr show",
  "ip netns exec blue ss -ltn",
  "iptables -nvL",
  "iptables -t nat -S",
  "nft list ruleset",
  "sysctl net.ipv4.ip_forward",
  "mount | grep nfs",
  "date +%s",
  "hostname -f",
  "kill -0 4242",
  "fuser -v 80/tcp",
  "crontab -l",
  "semanage port -l",
  "rpm -qa",
  "service nginx status",
  "sleep 5",
];

const CHANGING = [
  "docker rm -f web",
  "docker --context prod restart web",
  "docker volume prune",
  "docker run --rm alpine true",
  "docker compose -f stack.yml up -d",
  "docker-compose down",
  "docker exec web rm /tmp/x",
  "docker exec web sh -c 'echo a >> /etc/hosts'",
  "docker save -o web.tar web",
  "docker ps -q | xargs docker stop",
  "docker rm $(docker ps -aq)",
  "podman system check --repair",
  "podman login registry.example",
  "podman unshare chown -R 0:0 /srv",
  "crictl rmi --prune",
  "ctr -n k8s.io images rm x",
  "kubectl delete pod x",
  "kubectl -n prod delete pod x",
  "kubectl --context get delete pod x",
  "kubectl apply -f - <<EOF\nkind: Pod\nEOF",
  "kubectl create secret generic x --dry-run=client -o yaml | kubectl apply -f -",
  "kubectl scale deploy/api --replicas=0",
  "kubectl rollout restart deploy/api",
  "kubectl rollout undo deploy/api",
  "kubectl set image deploy/api api=x",
  "kubectl delete pod x --dry-run=none",
  "kubectl run x --image=y -- --dry-run=client",
  "kubectl exec api-0 -- kill 1",
  "kubectl exec api-0 -- sh -c 'rm -rf /tmp/*'",
  "kubectl get pods -o name | xargs -r -n 1 kubectl delete",
  "kubectl get pods > pods.txt",
  "kubectl config use-context prod",
  "helm rollback api 3 -n prod",
  "systemctl restart docker",
  "systemctl --user daemon-reload && systemctl --user start app",
  "systemctl -H status stop nginx",
  "journalctl --vacuum-size=500M",
  "loginctl enable-linger deploy",
  "dmesg -c",
  "pg_ctl -D /data -m fast stop",
  "pgbench -c 10 db",
  "psql -c 'SELECT 1' -c 'DROP TABLE t'",
  "sudo -u postgres psql -Atc 'SELECT pg_reload_conf()'",
  "psql <<'EOF'\nDELETE FROM t;\nEOF",
  "psql -o out.txt -c 'select 1'",
  "psql pgbouncer -c 'RELOAD'",
  "SELECT pg_terminate_backend(42);",
  'select pid, pg_catalog."pg_cancel_backend"(pid) from pg_stat_activity',
  "SELECT nextval('s')",
  "SELECT pg_switch_wal()",
  "SELECT pg_stat_statements_reset()",
  "SELECT * INTO copy FROM t",
  "WITH gone AS (DELETE FROM t RETURNING *) SELECT count(*) FROM gone",
  "WITH x AS (SELECT 1) UPDATE t SET a = 1",
  "EXPLAIN ANALYZE DELETE FROM t",
  "EXPLAIN (ANALYZE, BUFFERS) UPDATE t SET a = 1",
  "BEGIN; DELETE FROM t; ROLLBACK;",
  "ROLLBACK PREPARED 'x'",
  "-- all fine\nVACUUM FULL t",
  "SELECT 1; TRUNCATE t",
  "COPY t FROM STDIN",
  "COPY t TO '/tmp/t'",
  "truncate -s 0 /var/log/x",
  "sed -i 's/a/b/' file",
  "sed -ni.bak p file",
  "find /tmp -mtime +7 -delete",
  "find /tmp -exec rm {} \\;",
  "sort -o file file",
  "ls | tee out.txt",
  "echo 1 > /proc/sys/vm/drop_caches",
  "echo 1 >> file",
  "ls &> file",
  "ls `rm x`",
  "ls `echo \\`rm x\\``",
  'ls "$(rm x)"',
  "cat <(rm x)",
  "X=$(rm x)",
  "echo $((1 + $(rm x)))",
  "uptime; (cd /tmp && rm x)",
  "if true; then rm x; fi",
  "for f in *; do rm $f; done",
  "true && { rm x; }",
  "ls\nrm x",
  "ls # look\nrm x",
  "sudo -n env A=b nohup timeout 5 rm x &",
  "watch -n 1 'docker restart web'",
  "bash -c 'rm x'",
  "sh <<EOF\nrm x\nEOF",
  "ssh host systemctl restart nginx",
  "su - postgres -c 'pg_ctl -D /data stop'",
  "/bin/rm x",
  "\\rm x",
  "sort <in>out",
  "curl -XPOST http://localhost",
  "curl -sXDELETE http://localhost",
  "curl -d a=b http://localhost",
  "curl --json '{}' http://localhost",
  "curl -O http://localhost/file",
  "curl -so page.html http://localhost",
  "wget http://localhost/file",
  "wget -qO- --post-data=a http://localhost",
  "openssl x509 -in a -out b",
  "ip link set eth0 down",
  "ip netns exec blue rm x",
  "iptables -D DOCKER-USER 1",
  "iptables -L -Z",
  "nft flush ruleset",
  "sysctl -w net.ipv4.ip_forward=1",
  "sysctl net.ipv4.ip_forward=1",
  "mount -o remount,rw /",
  "date -s 2026-01-01",
  "hostname web-1",
  "kill -9 4242",
  "kill -KILL 4242",
  "fuser -k 80/tcp",
  "crontab -e",
  "setenforce 0",
  "mkfs.ext4 /dev/sdb",
  "service nginx restart",
  "reboot",
];

const UNKNOWN = [
  "",
  "# only a comment",
  "frobnicate --all",
  "./cat file",
  "$(which kubectl) get pods",
  "$COMMAND",
  "bash",
  "bash check.sh",
  "sudo -i",
  "psql",
  "psql -f check.sql",
  "psql < check.sql",
  'psql -c "$SQL"',
  "SELECT my_function(1)",
  "SELECT * FROM t FOR UPDATE",
  "COMMIT",
  "SET default_pool_size = 40",
  "EXPLAIN ANALYZE <statement>",
  "kubectl frob pods",
  "kubectl exec -it api-0 -- bash",
  "docker exec web <command>",
  "sed -n 'w out' file",
  "awk '{print > \"out\"}' file",
  "awk '{system(\"rm x\")}'",
  'curl -X "$METHOD" http://localhost',
  "cat script.sh | sh",
  "env -S 'rm x'",
  "kubectl get pods; frobnicate",
  "constructor",
  "kubectl constructor",
  `${"sudo ".repeat(100)}ls`,
];

describe("commandEffect", () => {
  it.each(READING)("sees that %j only reads", (command) => {
    expect(commandEffect(command)).toBe("read_only");
  });

  it.each(CHANGING)("sees that %j changes something", (command) => {
    expect(commandEffect(command)).toBe("changes_state");
  });

  it.each(UNKNOWN)("says nothing about %j", (command) => {
    expect(commandEffect(command)).toBeUndefined();
  });
});

// An SQL text goes on in SQL.
const isShell = (command: string) => !/^(?:[A-Z]|select|\/\*|--)/.test(command) && !command.includes("<<");
const shellReading = fc.constantFrom(...READING.filter((command) => isShell(command) && !command.includes("#")));
const shellChanging = fc.constantFrom(
  ...CHANGING.filter((command) => isShell(command) && !command.includes("#") && !command.endsWith("&")),
);
const separator = fc.constantFrom("; ", " && ", " || ", "\n", " & ", " | ");

describe("any command", () => {
  it("changes something as soon as one of its parts does", () => {
    fc.assert(
      fc.property(
        fc.array(shellReading),
        separator,
        shellChanging,
        fc.array(shellReading),
        (before, between, change, after) => {
          expect(commandEffect([...before, change, ...after].join(between))).toBe("changes_state");
        },
      ),
    );
  });

  it("reads where each of its parts does", () => {
    fc.assert(
      fc.property(fc.array(shellReading, { minLength: 1 }), separator, (parts, between) => {
        expect(commandEffect(parts.join(between))).toBe("read_only");
      }),
    );
  });

  it.each([
    (inner: string) => `echo "$(${inner})"`,
    (inner: string) => `sudo ${inner}`,
    (inner: string) => `kubectl exec api-0 -- ${inner}`,
    (inner: string) => `docker exec web ${inner}`,
    (inner: string) => `find . -exec ${inner} \\;`,
  ])("does what the command within it does: %s", (wrap) => {
    for (const inner of ["cat x", "systemctl status x"]) expect(commandEffect(wrap(inner))).toBe("read_only");
    for (const inner of ["rm x", "systemctl stop x"]) expect(commandEffect(wrap(inner))).toBe("changes_state");
    expect(commandEffect(wrap("frobnicate"))).toBeUndefined();
  });

  it("is judged, whatever it holds", () => {
    const piece = fc.constantFrom(
      "$(",
      "`",
      "'",
      '"',
      "<<E",
      "<",
      ">",
      "\\",
      "\n",
      "(",
      ")",
      "ls",
      "rm",
      " ",
      ";",
      "--",
      "$$",
      "-c",
      "psql",
      "select",
      "/*",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((pieces) => pieces.join("")),
        ),
        (command) => {
          expect([undefined, "read_only", "changes_state"]).toContain(commandEffect(command));
        },
      ),
    );
  });

  it.each([
    "$(",
    "`",
    "'",
    '"',
    "<<E ",
    "<a",
    "<a ",
    ">",
    "\\",
    "\n",
    "(",
    "ls ",
    "sudo ",
    "sudo -",
    "-a",
    "find -exec ",
    "ls;",
    "$((",
    "select (",
    "select a",
    "select '",
    "select $a",
    "select /*",
    "select e'",
    "explain ",
    "-- a\n",
    "/**/ ",
    "psql -c 'select ",
    '"$(',
    "sed '/ ",
    "awk 'print ",
    "a=",
    "if ",
  ])("is judged at 300 kB of %j", (unit) => {
    const command = unit.repeat(300_000 / unit.length);
    expect([undefined, "read_only", "changes_state"]).toContain(commandEffect(command));
    expect([undefined, "read_only", "changes_state"]).toContain(commandEffect(`select ${command}`));
    expect([undefined, "read_only", "changes_state"]).toContain(commandEffect(`sed ${command}`));
  });

  it.each([
    ["$(", ")"],
    ["$((", "))"],
    ["(", ")"],
    ['"$(', ')"'],
    ["find -exec ", " \\;"],
    ["echo $((", "$(rm x)))"],
  ])("is judged at 50,000 levels of %j", (open, close) => {
    expect(commandEffect(`${open.repeat(50_000)}frobnicate${close.repeat(50_000)}`)).not.toBe("read_only");
  });
});

/** Marked (read-only) by their authors, who mean the service: they save evidence to a file, which does change a disk. */
const SAVES_EVIDENCE = new Set([
  "docker/container-logs-growing-or-missing.md: docker logs --timestamps --since 1h <container> > <other-disk>/container.log 2>&1",
  "docker/container-restart-loop.md: docker logs --timestamps <container> > /tmp/restart-loop.log 2>&1",
  "docker/container-unhealthy.md: docker logs --timestamps --tail 500 <container> > /tmp/unhealthy.log 2>&1",
  "docker/volume-permission-denied.md: getfacl -R -p <host-path> > /root/mount-permissions.acl",
  "postgres/data-corruption-invalid-page-xx001.md: pg_dump -h <restored_host> -d <database> -t '<schema>.<table>' -Fc -f <table>.dump",
]);

const byDomain = await readRunbooks(fileURLToPath(new URL("../../../seeds/runbooks/", import.meta.url)));
const commands = DOMAIN_NAMES.flatMap((domain) => byDomain[domain]).flatMap(({ source, markdown }) =>
  parseSections(markdown, source).sections.flatMap(({ headingPath, blocks }) =>
    parseRunbookItems(blocks.join("\n\n")).flatMap(({ command, effect }) =>
      command === null ? [] : [{ name: `${source}: ${command}`, section: headingPath.join(), command, effect }],
    ),
  ),
);

describe("the commands of the runbooks that ship", () => {
  const marked = (effect: string) => commands.filter((each) => each.effect === effect);

  it("are looked at", () => {
    expect(marked("read_only").length).toBeGreaterThan(10);
    expect(marked("changes_state").length).toBeGreaterThan(150);
  });

  it("change nothing where they are marked (read-only), but for the files that evidence is saved to", () => {
    const wrong = marked("read_only").filter(({ command }) => commandEffect(command) === "changes_state");
    expect(new Set(wrong.map(({ name }) => name))).toEqual(SAVES_EVIDENCE);
  });

  it("are never judged to only read where they are marked (changes state)", () => {
    const wrong = marked("changes_state").filter(({ command }) => commandEffect(command) === "read_only");
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  it("only read where they confirm", () => {
    const confirming = commands.filter(({ section }) => section === "Confirm");
    const wrong = confirming.filter(({ command }) => commandEffect(command) === "changes_state");
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });
});
