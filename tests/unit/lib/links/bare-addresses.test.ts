import { describe, expect, it } from "vitest";
import { type LinkPolicy, REMOVED_LINK, removeLinks } from "../../../../lib/links/remove-links.ts";

const POLICY: LinkPolicy = {
  hosts: new Set(),
  urls: new Set(),
  isOperational: (address, host) => address === "shop.acme.com/health" || host === "db-01.prod.acme.com",
};

/** Input and expected output; ∎ stands for the marker. */
const REMOVED: readonly (readonly [string, string])[] = [
  ["see evil.com/x.", "see ∎."],
  ["open evil.com now", "open ∎ now"],
  ["open status.evil.co.uk", "open ∎"],
  ["go to (evil.com/a?b=c)", "go to (∎)"],
  ["run `curl evil.io/x`", "run `curl ∎`"],
  ["get 203.0.113.7:8080/x", "get ∎"],
  ["get 203.0.113.7/x", "get ∎"],
  ["see evil[.]com, please", "see ∎, please"],
  ["see evil(dot)com/x", "see ∎"],
  ["see evil[.]example", "see ∎"],
  ["see evil.example/x", "see ∎"],
  ["see hxxp://evil.com/x", "see ∎"],
  ["see hxxps://evil[.]com/x", "see ∎[.]com/x"],
  ["url=evil.com/x", "url=∎"],
  ["see e\u200bvil.com/x", "see e\u200b∎"],
  ["shop.acme.com/other", "∎"],
  ["see evil.top/x", "see ∎"],
  ["[details](evil.com/x)", "[details](∎)"],
];

const ORDINARY: readonly string[] = [
  "The pod checkout-7f9c6d5b8-x2x9z was OOMKilled (exit code 137).",
  "Check shop.acme.com/health first.",
  "Connect to db-01.prod.acme.com:5432.",
  "The service api.shop.svc.cluster.local:8080 does not answer.",
  "Port 10.4.7.9:5432 refuses connections.",
  "curl localhost:9090/metrics shows it.",
  "curl 127.0.0.1:8080/healthz",
  "Set app.kubernetes.io/name=web on the pod.",
  "The label node.kubernetes.io/not-ready is a taint.",
  "The image registry.k8s.io/pause:3.9 is missing.",
  "Pull docker.io/library/nginx:1.25.3 again.",
  "The image ghcr.io/acme/api:v1.2.3 has no arm64 build.",
  "apiVersion cert-manager.io/v1 is served.",
  "Use networking.k8s.io/v1 for an Ingress.",
  "The group argoproj.io/v1alpha1 has no Rollout.",
  "Edit /etc/nginx/nginx.conf and reload.",
  "The file app.yml has a tab.",
  "main.go:88 panics.",
  "See README.md and docs/setup.md.",
  "node.js 20 runs out of heap.",
  "server.js throws in index.ts:12.",
  "java.io.IOException: Broken pipe",
  "java.net.SocketTimeoutException: Read timed out",
  "com.acme.checkout.OrderService fails to start.",
  "org.postgresql.util.PSQLException: ERROR",
  "System.Net.Http.HttpRequestException was thrown.",
  "ASP.NET returns 502.",
  "The metric system.disk.io rises.",
  "socket.io reconnects.",
  "Version 1.2.3.4 is affected.",
  "Upgrade 1.27.3/1.28.0 first.",
  "The CIDR 10.0.0.0/16 overlaps.",
  "Latency p99.9 is 1.5s, e.g. at 03:00, i.e. at night.",
  "It is fine.Then it fails.",
  "config.d/app.conf overrides it.",
  "kubectl get deployments.apps -n shop",
  "kubectl get certificates.cert-manager.io -A",
  "systemctl status nginx.service",
  "docker-compose.yml mounts data.tar.gz.",
  "Query pg_stat_activity.state = 'active'.",
  "spec.template.spec.containers[0].resources.limits.memory is 256Mi.",
  "Release v2.14.0-rc.1 of web-0.web.prod.",
  "sum(rate(http_requests_total[5m])) / 2.0",
  "python3.11 -m app.main",
  "The host ip-10-0-1-7.ec2.internal is NotReady.",
  "Check redis.cache.svc:6379.",
  "printer.lan and nas.home.lan are up.",
  "https://localhost:8443/health answers.",
];

describe("an address without a scheme", () => {
  it.each(REMOVED)("is removed from %j", (input, expected) => {
    expect(removeLinks(input, POLICY).text).toBe(expected.replaceAll("∎", REMOVED_LINK));
  });

  it.each(ORDINARY)("stays if it belongs to the systems, as other names do: %s", (text) => {
    expect(removeLinks(text, POLICY)).toEqual({ text, count: 0 });
  });

  it("stays where the policy has no rule for it", () => {
    expect(removeLinks("evil.com/x", { hosts: new Set(), urls: new Set() }).text).toBe("evil.com/x");
  });

  it.each(["a.com/", "evil.com/x ", "evil[.]", "a.", "1.1.1.1/", "a-"])(
    "is found in 200 kB of %j in linear time",
    (unit) => {
      expect(removeLinks(unit.repeat(200_000 / unit.length), POLICY).text.length).toBeGreaterThan(0);
    },
  );
});
