// `npm run bench -- scrub`: the speed of redaction and injection removal. Ordinary logs in MB/s; near-matches of each
// pattern at 1 and 2 MB, with the ratio of the times: about 2 is linear, 4 would be quadratic.

import { neutraliseInjections } from "../lib/injection/detect-injection.ts";
import { redact } from "../lib/redaction/redact.ts";
import { createStreamScrubber } from "../lib/redaction/stream-scrubber.ts";

const MB = 1_000_000;
const ROUNDS = 3;
const WARM_ROUNDS = 8;
/** Characters in a piece of the streamed text, about one model token. */
const PIECE = 5;

const LOG = [
  "2026-11-21T03:00:00.123Z INFO  [http-nio-8080-exec-7] c.e.checkout.OrderService - order 8123377 accepted in 53 ms",
  "2026-11-21T03:00:01.004Z WARN  pool checkout-db is at 48 of 50 connections, waiting threads: 12",
  'level=error ts=2026-11-21T03:00:02.511Z caller=main.go:88 msg="failed to connect to upstream" attempt=3 err="EOF"',
  "Back-off restarting failed container api in pod api-7f9c6d5b8-x2x9z_prod(0d4b7c1e-5f7e-4a0c-9a53-1c2d3e4f5a6b)",
  "E1121 03:00:03.123456       1 reflector.go:138] k8s.io/client-go: Failed to watch *v1.Pod: unknown (get pods)",
  '{"level":"warn","time":1795230000123,"msg":"slow query","duration_ms":1830,"rows":12,"table":"orders"}',
  "ERROR:  canceling statement due to statement timeout at character 15 of the query that the planner chose",
  "Pulled image registry.example.net/shop/api@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
];

/** What services write about people: names, JSON, e-mail addresses. */
const PEOPLE_LOG = [
  "2026-11-29T07:12:03.114Z INFO  [http-nio-8080-exec-7] c.e.checkout.OrderService - order 8123377 accepted for mara.lind@shop.example in 53 ms",
  '{"level":"info","ts":"2026-11-29T07:12:03.114Z","logger":"auth","msg":"request completed","user":"mara.lind","email":"mara@corp.example","status":200,"duration_ms":812,"trace_id":"9f86d081884c7d659a2feaa0c55ad015"}',
  '{"@timestamp":"2026-11-29T07:12:03.114Z","log.level":"ERROR","message":"Could not send the receipt to the customer Mara Lind","error.type":"MailException","session":"0d4b7c1e-5f7e-4a0c-9a53-1c2d3e4f5a6b","customer_id":118273}',
  '10.42.0.17 - mara [29/Nov/2026:07:12:03 +0000] "GET /api/v2/orders/8123?page=2 HTTP/1.1" 502 812 "-" "Mozilla/5.0 (X11; Linux x86_64)"',
  "user mara.lind (id 81233) logged in from 10.4.0.9, role viewer, session 9f86d081884c7d65",
  "\tat com.example.auth.TokenService.process(TokenService.java:118) ~[app-2.18.4.jar:na]",
  'ERROR:  duplicate key value violates unique constraint "orders_pkey" DETAIL:  Key (id)=(8123377) already exists.',
  'kubelet[812]: E1129 07:12:03.114273 812 pod_workers.go:1298] "Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"api\\" with CrashLoopBackOff" pod="prod/api-7f9c6d5b8-x2x9z"',
];

const NEAR_MATCHES: Readonly<Record<string, string>> = {
  "sk-": "sk-",
  "sk- words": "sk-abc ",
  eyJ: "eyJ",
  "eyJ.": "eyJ.",
  "eyJ long.": "eyJaaaaaaaaaa.",
  "a@": "a@",
  "a.": "a.",
  "a.@": "a.a.a.a.a.a.a.a@a.a.a.a.a.a.a.a.1 ",
  "64@": `${"a".repeat(64)}@${"b.".repeat(9)}`,
  "%40": "a%40",
  "-----BEGIN ": "-----BEGIN ",
  "-----BEGIN RSA ": "-----BEGIN RSA PRIVATE KEY",
  hyphens: "-",
  "1.": "1.",
  "1.1.1.1.": "1.1.1.1.",
  "1:": "1:",
  "f:": "ffff:",
  digits: "4",
  "digits -": "4111-",
  "digit groups": "4111 1111 1111 1112 ",
  "+1 ": "+1 ",
  "+1-": "+1-",
  "(415) ": "(415) ",
  "password=": "password=",
  "password= ": "password= ",
  'password="': 'password="',
  'password="a ': 'password="a ',
  'password=\\"': 'password=\\"a ',
  "password ": "password ",
  "db_password ": "db_password ",
  "password=\\": "password=\\\n",
  "password prompt": "password for a:\n",
  "token a1": "token a1a1a1a1a1a1 ",
  "assistant:": "assistant: a\n",
  '"role"': '"role":"system" ',
  "password, gaps": `password${" ".repeat(64)}`,
  "--password ": "--password ",
  "<password>": "<password>",
  "a=,": "a=,",
  "token:": "token:",
  "token=,;": "token=,;,;,;",
  "Bearer ": "Bearer ",
  "Authorization: ": "Authorization: ",
  "identified by ": "identified by '",
  spaces: " ",
  "key, spaces": `key=${" ".repeat(500)}`,
  AKIA: "AKIA",
  "AKIA, short": "AKIAIOSFODNN7EXAMPL ",
  ghp_: "ghp_",
  xox: "xoxb-",
  AIza: "AIza",
  "SG.": "SG.",
  atlasv1: ".atlasv1.",
  "://": "a://",
  "://:": "http://a:",
  "sig=": "sig=",
  "AccountKey=": "AccountKey=",
  hooks: "hooks.slack.com/services/",
  quotes: '"',
  backslashes: "\\",
  x: "x",
  CJK: "漢字",
  newlines: "\n",
  markers: "[REDACTED_PASSWORD]",
  ignore: "ignore ",
  "ignore previous": "ignore all of the previous ",
  "show me your": "show me all of the your ",
  "you are": "you are now from now on act as ",
  "enter mode": "enter developer mode ",
  "#### ": "### system ",
  "<system>": "<system>",
  "ignore all": "ignore all all all all ",
  "you are now": "you are now ",
  "system:": "system: ",
  "<|": "<|",
  pretend: "pretend to be ",
  "repeat the": "repeat the the the words above ",
  "zero width": "i\u200b",
};

/**
 * The shortest CPU time of several rounds, in milliseconds: other processes do not count. The first rounds include JIT
 * compilation.
 */
function best(run: () => unknown, rounds = ROUNDS): number {
  let ms = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const start = process.cpuUsage();
    run();
    ms = Math.min(ms, process.cpuUsage(start).user / 1000);
  }
  return ms;
}

function filled(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
}

function readOnce(text: string): number {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = (sum + text.charCodeAt(i)) | 0;
  return sum;
}

function scrubInPieces(text: string): number {
  const scrubber = createStreamScrubber();
  let length = 0;
  for (let at = 0; at < text.length; at += PIECE) length += scrubber.push(text.slice(at, at + PIECE)).length;
  return length + scrubber.end().length;
}

const log = filled(`${LOG.join("\n")}\n`, 8 * MB);
const speed = (ms: number) => `${((log.length / MB / ms) * 1000).toFixed(0)} MB/s`;
console.log(`ordinary log text   redact                    ${speed(best(() => redact(log), WARM_ROUNDS))}`);
console.log(
  `ordinary log text   stream, ${PIECE} characters each  ${speed(best(() => scrubInPieces(log), WARM_ROUNDS))}`,
);
console.log(
  `ordinary log text   neutraliseInjections      ${speed(best(() => neutraliseInjections(log), WARM_ROUNDS))}`,
);

const people = filled(`${PEOPLE_LOG.join("\n")}\n`, 4 * MB);
const guard = best(() => redact(neutraliseInjections(people).text), WARM_ROUNDS);
const reading = best(() => readOnce(people), WARM_ROUNDS);
console.log(
  `names, JSON, e-mail  both                      ${(people.length / 1000 / guard).toFixed(0)} MB/s, ${(guard / reading).toFixed(0)} times as long as reading each character`,
);

console.log("\nnear-matches        redact 1 MB   2 MB : 1 MB    injections 1 MB   2 MB : 1 MB");
for (const [name, piece] of Object.entries(NEAR_MATCHES)) {
  const [one, two] = [filled(piece, MB), filled(piece, 2 * MB)];
  const columns = [redact, neutraliseInjections].map((run) => {
    const ms = best(() => run(one));
    return `${ms.toFixed(0).padStart(8)} ms   ${(best(() => run(two)) / ms).toFixed(1).padStart(11)}`;
  });
  console.log(`${name.padEnd(18)}${columns.join("   ")}`);
}
