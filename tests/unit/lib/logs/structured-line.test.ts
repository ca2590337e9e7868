import { describe, expect, it } from "vitest";
import { structuredMessage } from "../../../../lib/logs/structured-line.ts";

describe("the message of a structured line", () => {
  it.each<[string, string | null]>([
    ['{"msg":"query failed","error":"timeout"}', "query failed: timeout"],
    ['{"msg":"timeout","error":"query failed: timeout"}', "query failed: timeout"],
    ['{"msg":"query failed: timeout","error":"timeout"}', "query failed: timeout"],
    ['{"error":{"message":"timeout","code":7}}', "timeout"],
    ['{"msg":"\\nsecond line"}', "second line"],
    ['{"msg":"  ","error":"timeout"}', "timeout"],
    ['{"error":"invalid_client","error_description":"secret has expired"}', "secret has expired"],
    ['{"level":"error"}', null],
    ['{"broken":}', null],
    ['Reconciler error: {"error":"timeout"}', "Reconciler error: timeout"],
    ['Reconciler error {"controller":"node"}', null],
    ['"message": "disk \\"a\\" is full\\nnow",', 'disk "a" is full now'],
    ['"reason": "Evicted"', "Evicted"],
    ['"node": "worker-3",', "node: worker-3"],
    ['level=error msg="query \\"a\\" failed" err=timeout', 'query "a" failed: timeout'],
    ["level=error err=timeout", "timeout"],
    [
      'E1122 07:05:14.640118    1190 pod_workers.go:1301] "Error syncing pod" err="no IPs in \\"a\\"" pod="shop/web-1"',
      'Error syncing pod: no IPs in "a"',
    ],
    ["level=error user=dana", null],
    ["msg=hello", null],
    [
      "<Error><Code>NoSuchBucket</Code><Message>The bucket does not exist</Message></Error>",
      "The bucket does not exist",
    ],
    ['"2026-11-26T21:10:09Z","node-1","rates","pool ""a"" is exhausted"', 'pool "a" is exhausted'],
    ["disk full", null],
  ])("of %s is %j", (line, message) => {
    expect(structuredMessage(line)).toBe(message);
  });
});
