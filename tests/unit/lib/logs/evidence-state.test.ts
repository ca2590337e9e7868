import { describe, expect, it } from "vitest";
import { readEvidence } from "../../../../lib/logs/read-evidence.ts";

const stateOf = (
  logs: string | null,
  headline = "Is anything wrong with shop?",
  { target = null, labels = {} }: { target?: string | null; labels?: Record<string, string> } = {},
) => readEvidence({ headline, logs, target, labels }).state?.name;

const PODS =
  "NAME        READY   STATUS    RESTARTS   AGE\nshop-a-1    1/1     Running   0          9d\nshop-b-2    1/1     Running   0          9d";

describe("the state of the evidence", () => {
  it.each([
    '"Status": "healthy"',
    "state=RUNNING",
    "2026-11-21T10:00:00Z INFO health status=UP",
    "[ok] sign-in 200 in 141 ms",
    "12 passed, 0 failed",
    "Ready:          True",
    '{ "name": "HighLatency", "state": "inactive" }',
    PODS,
  ])("is healthy by its structure: %j", (lines) => {
    expect(stateOf(lines)).toBe("healthy");
  });

  it.each([
    "all systems operational",
    "Everything is healthy",
    "No problems detected",
    "recovered after 30 s",
    "Rollback was a success! Happy Helming!",
    "connection re-established, back to normal",
    "deployment shop successfully rolled out",
    "Verbindung wiederhergestellt",
  ])("is never good by a sentence: %j", (sentence) => {
    expect(stateOf(sentence)).toBeUndefined();
    expect(stateOf(null, sentence)).toBeUndefined();
    expect(stateOf(`10:00:01 ERROR connection refused\n10:00:31 INFO ${sentence}`)).toBeUndefined();
  });

  it.each([
    ["a failure before it", `ERROR connection refused\n\n${PODS}`],
    ["a failure after it", `${PODS}\n\n10:00:01 ERROR connection refused`],
    ["a failing row", `${PODS}\nshop-c-3    0/1     CrashLoopBackOff   9   9d`],
    ["a failing part", '{"component":"db","status":"UP"}\n{"component":"smtp","status":"DOWN"}'],
    ["what somebody adds in English", `${PODS}\n\nbut nobody can pay`],
    ["what somebody adds in German", "status=UP\ndie Aufträge bleiben trotzdem liegen"],
    ["what somebody adds in Russian", "status=UP\nсоединение восстановлено, задачи не забираются"],
    ["what somebody adds in Japanese", "status=UP\n接続は復旧しましたが、処理されません"],
    ["what somebody adds in Arabic", "status=UP\nتمت استعادة الاتصال لكن المهام لا تؤخذ"],
    ["a part that flaps", "state=DOWN\nstate=UP\nstate=DOWN\nstate=UP"],
  ])("is none where a good state stands beside %s", (_, logs) => {
    expect(stateOf(logs)).toBeUndefined();
  });

  it.each([
    "No resources found in shop namespace.",
    'Error from server (NotFound): pods "shop" not found',
    "(0 rows)",
    "-- No entries --",
    "no data",
    "(no output)",
    "Empty set (0.00 sec)",
  ])("is nothing: %j", (logs) => {
    expect(stateOf(logs, "Why does shop fail?", { target: "shop" })).toBe("nothing_found");
    expect(stateOf(`${logs}\nFATAL: out of memory`)).toBeUndefined();
  });

  it("is healthy where the target's rows are good, and others fail", () => {
    const logs = `${PODS}\nmail-1      0/1     CrashLoopBackOff   9   9d`;
    expect(stateOf(logs, "Why is shop unhealthy?", { target: "shop" })).toBe("healthy");
    expect(stateOf(logs, "Why is mail unhealthy?", { target: "mail" })).toBeUndefined();
  });

  it("is healthy by running processes only for a headline that they answer", () => {
    expect(stateOf(PODS, "Pods of shop restart")).toBe("healthy");
    expect(stateOf(PODS, "KubePodNotReady", { labels: { alertname: "KubePodNotReady" } })).toBe("healthy");
    for (const headline of [
      "Every invoice of this morning has the address of another customer",
      "pods up, orders missing",
      "Queue is full after the restart",
      "application returns 500 after failover",
      "Why do the tasks stay in the queue after the restart of the pods?",
      "Bestellungen schlagen fehl",
    ])
      expect(stateOf(PODS, headline)).toBeUndefined();
    expect(stateOf(PODS, "QueueNotDraining", { labels: { alertname: "QueueNotDraining" } })).toBeUndefined();
  });

  it("is healthy by counts for a headline about work", () => {
    const rows = "GROUP  TOPIC   PARTITION  LAG\nshop   orders  0          0\nshop   orders  1          2";
    expect(stateOf(rows, "Consumers of shop behind")).toBe("healthy");
    expect(stateOf("errors_total 0\nqueue_waiting 0", "HighErrorRate shop")).toBe("healthy");
  });

  it("is not healthy where most of the evidence holds no sign", () => {
    const parts = `$ get values\nanalyzer: es\nregion: eu\nreplicas: 3\nzone: b\n$ get pods\n${PODS}`;
    expect(stateOf(parts, "Search pods unhealthy?")).toBeUndefined();
  });

  it.each([
    ["its title says so", "[RESOLVED] Latency of checkout", {}],
    ["its label says so", "HighLatency on the checkout nodes", { alertname: "HighLatency", status: "resolved" }],
  ])("is recovered for an alert that has ended: %s", (_, headline, labels) => {
    expect(stateOf(null, headline, { labels })).toBe("recovered");
    expect(stateOf("10:00:01 ERROR upstream timed out", headline, { labels })).toBeUndefined();
  });

  it.each([
    "Has the database recovered?",
    "Latency of checkout",
    "[RESOLVED] KafkaLag, aber Bestellungen bleiben liegen",
    "[RESOLVED] DiskPressure, firing again on yew-5",
    "Issue resolved but customers still see an empty basket",
    "After the failover replication recovered, the application cannot write",
  ])("is none for the headline %j alone", (headline) => {
    expect(stateOf(null, headline)).toBeUndefined();
  });

  it.each([
    ["old", "41m", "recovered"],
    ["new", "20s", undefined],
  ])("of good objects with %s failure events", (_, age, state) => {
    const events = `LAST SEEN   TYPE      REASON      OBJECT       MESSAGE\n${age}         Warning   Unhealthy   pod/shop-1   Readiness probe failed: connection refused`;
    expect(stateOf(`${events}\n\n${PODS}`, "shop is not ready", { target: "shop" })).toBe(state);
  });

  it("leaves a cause open where a failure may be over, and the report says more", () => {
    const mayBeOver = (logs: string, headline: string, labels = {}) =>
      readEvidence({ headline, logs, target: null, labels }).mayBeOver === true;
    const event = "48m   Warning   Unhealthy   pod/shop-1   Readiness probe failed: connection refused";
    expect(mayBeOver(`${event}\n\n${PODS}`, "PodNotReady fired for shop, resolved by itself?")).toBe(true);
    const error = "10:00:01 ERROR upstream timed out";
    expect(mayBeOver(error, "HighLatency", { alertname: "HighLatency", state: "resolved" })).toBe(true);
    expect(mayBeOver(error, "HighLatency", { alertname: "HighLatency" })).toBe(false);
    expect(mayBeOver(`${PODS}\n${error}`, "Pods of shop run, but the page shows 502")).toBe(false);
  });

  it("may be over if the message of an alert says so of its own subject, and nothing else fails", () => {
    const mayBeOver = (alertname: string, headline: string, logs: string) =>
      readEvidence({ headline, logs, target: null, labels: { alertname } }).mayBeOver === true;
    expect(mayBeOver("NodeOffline", "Node web-7 is online again", "")).toBe(true);
    expect(mayBeOver("WebhookLag", "Webhooks are late", "The lag is back to normal: 2 s.")).toBe(true);
    expect(mayBeOver("HighLag", "Standby is 40 minutes late", "The network is back online since 02:00.")).toBe(false);
    expect(mayBeOver("HighLag", "Lag was back to normal at 03:00 but rose again", "")).toBe(false);
  });

  it("is recovered where a later event or run of the same object succeeds", () => {
    const events =
      "NAME  READY  STATUS  RESTARTS  AGE\nfare-7b-x  1/1  Running  0  9m\n\nLAST SEEN  TYPE  REASON  OBJECT  MESSAGE\n2m  Warning  FailedScheduling  pod/fare-7b-x  no nodes are available\n1m  Normal  Started  pod/fare-7b-x  Started container";
    expect(stateOf(events, "Fares fail")).toBe("recovered");
    const jobs =
      "NAME           STATUS     COMPLETIONS   DURATION   AGE\nimport-29400   Failed     0/1           41m        3h\nimport-29401   Complete   1/1           12m        2h";
    expect(stateOf(jobs, "KubeJobFailed", { labels: { alertname: "KubeJobFailed" } })).toBe("recovered");
  });

  it("follows the readings of a series to the last", () => {
    const series = "10:00 p95 2.9 s (limit 1 s)\n10:05 p95 0.4 s (limit 1 s)";
    expect(stateOf(series, "HighLatency", { labels: { alertname: "HighLatency" } })).toBe("healthy");
    expect(stateOf(`${series}\n10:10 p95 3.1 s (limit 1 s)`)).toBeUndefined();
  });

  it("quotes the line that shows it", () => {
    const { state } = readEvidence({ headline: "Is it up?", logs: "a\n\nstatus=UP", target: null, labels: {} });
    expect(state).toEqual({ name: "healthy", quote: "status=UP", line: 3 });
  });
});
