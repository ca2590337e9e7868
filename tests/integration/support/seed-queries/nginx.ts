// Graded questions about the runbooks of nginx.

import { type GradedQueries, labelled, plain } from "./seed-query.ts";

export const NGINX_QUERIES: GradedQueries = {
  easy: [
    plain(
      "nginx/upstream-connection-refused-502",
      "nginx 502: connect() failed (111: Connection refused) while connecting to upstream",
    ),
    plain(
      "nginx/upstream-timed-out-504",
      "nginx: upstream timed out (110: Connection timed out) while reading response header from upstream",
    ),
    plain(
      "nginx/configuration-test-failed-reload-not-applied",
      'nginx: [emerg] unknown directive "proxy_pas" in /etc/nginx/conf.d/shop.conf:14',
    ),
    plain("nginx/worker-connections-not-enough", "nginx error log: 1024 worker_connections are not enough"),
    plain("nginx/request-too-large-413-414-400", "nginx: client intended to send too large body: 31457280 bytes"),
  ],
  medium: [
    labelled(
      "nginx/upstream-connection-refused-502",
      "proxy shows Bad Gateway for /api since the process behind it is gone, static pages are served",
    ),
    labelled(
      "nginx/upstream-timed-out-504",
      "the big CSV report breaks off with Gateway Time-out after exactly one minute",
    ),
    labelled(
      "nginx/permission-denied-13-403-500",
      "all pictures answer Forbidden since the deploy script ran as root, error log has (13: Permission denied)",
    ),
    plain(
      "nginx/tls-certificate-expired-or-handshake-failed",
      "browsers warn about an outdated certificate although certbot renewed it, nginx still hands out the old one",
    ),
    labelled(
      "nginx/request-too-large-413-414-400",
      "phone pictures over a megabyte cannot be uploaded, small ones can",
    ),
    plain(
      "nginx/configuration-test-failed-reload-not-applied",
      "nginx -s reload does nothing, new vhost is not there, test says failed",
    ),
  ],
  hard: [
    plain(
      "nginx/upstream-connection-refused-502",
      "shop down for everybody since 09:40, machines idle",
      '2026/02/14 09:40:12 [error] 2211#2211: *88121 no live upstreams while connecting to upstream, client: 10.0.3.4, server: shop.example, request: "GET / HTTP/1.1", upstream: "http://shop_backend/"',
    ),
    plain(
      "nginx/too-many-open-files-24",
      "edge refuses every tenth visitor at peak time",
      "2026/02/14 18:02:55 [crit] 901#901: accept4() failed (24: Too many open files)",
    ),
    plain(
      "nginx/upstream-closed-connection-or-invalid-response-502",
      "only users with many permissions see an error page right after login",
      "upstream sent too big header while reading response header from upstream",
    ),
    labelled(
      "nginx/rate-limiting-rejects-requests-503-429",
      "one office building with 300 people cannot use the shop at nine in the morning, everybody else can",
    ),
    labelled(
      "nginx/host-not-found-in-upstream-stale-dns",
      "after the load balancer in front of the API got new addresses every call hangs, until somebody reloads the proxy",
    ),
    labelled(
      "nginx/upstream-timed-out-504",
      "export button works for small customers, the three largest get an error page after 60 seconds",
    ),
  ],
  misspelt: [
    plain("nginx/upstream-connection-refused-502", "ngnix bad gatway conection refused upstrem"),
    plain("nginx/upstream-timed-out-504", "nginx gatway timout upstraem"),
    plain("nginx/worker-connections-not-enough", "nginx worker_conections not enogh"),
    plain("nginx/configuration-test-failed-reload-not-applied", "nginx emrg unknwn directive, wont relaod"),
  ],
  codes: [
    labelled("nginx/upstream-timed-out-504", "504"),
    labelled("nginx/request-too-large-413-414-400", "413"),
    labelled("nginx/client-closed-request-499", "499"),
    labelled("nginx/rate-limiting-rejects-requests-503-429", "429"),
  ],
  "in passing": [
    plain(
      "nginx/upstream-connection-refused-502",
      "hey, one of our two backend processes did not come back after the release and nginx now says bad gateway to every second visitor, can it not just skip that one?",
    ),
    plain(
      "nginx/request-too-large-413-414-400",
      "marketing can't upload their 40 MB video through our nginx, the app has no limit as far as I know, who says no?",
    ),
    plain(
      "nginx/tls-certificate-expired-or-handshake-failed",
      "is it me or does nginx serve last year's cert on the shop domain, I'm sure lets encrypt ran on monday",
    ),
    plain(
      "nginx/configuration-test-failed-reload-not-applied",
      "I edited a vhost on the nginx box, now it won't start any more after the reboot and the whole site is gone, help",
    ),
  ],
  trap: [
    labelled(
      "nginx/upstream-connection-refused-502",
      "pods of the backend are in CrashLoopBackOff, the proxy in front answers Bad Gateway to everybody",
    ),
    labelled(
      "nginx/configuration-test-failed-reload-not-applied",
      'container restarts over and over, last line: [emerg] unexpected end of file, expecting ";" or "}"',
    ),
    labelled(
      "nginx/host-not-found-in-upstream-stale-dns",
      'container name of the backend cannot be resolved at start: host not found in upstream "api:3000"',
    ),
    labelled(
      "nginx/upstream-timed-out-504",
      "database query runs 90 s, page breaks off after 60 s with a gateway error",
    ),
  ],
};
