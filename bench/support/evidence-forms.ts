// Logs of each form and hostile inputs, of a chosen length, for the speed of the reader of evidence.

/** @param length characters of each log */
export function createEvidenceForms(length: number): Record<string, string> {
  const lines = (line: (i: number) => string) => {
    const texts: string[] = [];
    for (let i = 0, size = 0; size < length; i++) {
      const text = line(i);
      texts.push(text);
      size += text.length + 1;
    }
    return texts.join("\n");
  };
  const repeat = (unit: string) => unit.repeat(Math.ceil(length / unit.length));
  const word = (i: number) =>
    String.fromCharCode(97 + (i % 26), 97 + ((i / 26) % 26), 97 + ((i / 676) % 26), 97 + ((i / 17_576) % 26));
  return {
    "plain log": lines((i) => `2026-11-21T03:00:00.123Z INFO [exec-${i}] c.e.Orders - order ${i} accepted in 53 ms`),
    "log of errors": lines((i) => `2026-11-21T03:00:00Z ERROR [exec-${i}] order ${word(i)} failed: connection refused`),
    "lines of JSON": lines(
      (i) => `{"level":"warn","time":1795230000,"msg":"slow query ${word(i)}","rows":12,"err":null}`,
    ),
    "one line of JSON": `[${lines((i) => `{"level":"error","error":null,"msg":"query failed ${word(i)}"},`).replaceAll("\n", "")}]`,
    "keys and values": lines(
      (i) => `level=error ts=2026-11-21T03:00:00Z caller=main.go:${i} msg="dial: timeout" attempt=${i}`,
    ),
    events: lines(
      (i) => `  Warning  FailedScheduling  3m  scheduler  0/3 nodes are available: ${word(i)} Insufficient cpu`,
    ),
    "listing of bad rows": `NAME  READY  STATUS\n${lines((i) => `pod-${word(i)}  0/1  CrashLoopBackOff  5  3m`)}`,
    "listing of good rows": `NAME  READY  STATUS\n${lines((i) => `pod-${word(i)}  1/1  Running  5  3m`)}`,
    "stack frames": lines((i) => `\tat com.example.Orders${i}.handleError(Orders.java:${i})`),
    causes: lines((i) => `Caused by: java.lang.IllegalStateException: ${word(i)}`),
    settings: lines((i) => `Tolerations: key-${i}\n   not-ready:NoExecute\nerror: null\nfailures: 0`),
    "good states": lines((i) => `all is ok and running again without results ${word(i)}`),
    "short errors": lines((i) => `err ${word(i)}`),
    phrases: lines((i) => `not ${word(i)} is no ${word(i * 3)} could ${word(i * 5)} too ${word(i * 11)}`),
    "empty lines": repeat("\n"),
    blanks: repeat(" "),
    "one letter": repeat("a"),
    "one word": repeat("error "),
    "one word a line": repeat("error\n"),
    "one error name": repeat("aBError"),
    quotes: repeat('"'),
    colons: repeat(": "),
    digits: repeat("1"),
    dots: repeat(". "),
    brackets: repeat('{"error":'),
    headers: repeat("AAAA  BBB  CCC\n"),
    "long lines": lines((i) => `volume ${"x ".repeat(900)} ${i}`),
    negations: lines(() => `no new more further ${"failed error ".repeat(100)}`),
  };
}
