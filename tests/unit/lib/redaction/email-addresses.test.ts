import { describe, expect, it } from "vitest";
import { redact } from "../../../../lib/redaction/redact.ts";

describe("e-mail addresses", () => {
  it.each([
    "jane@example.com",
    "jane.doe+ops@example.co.uk",
    "jürgen@müller.de",
    "иван@почта.рф",
    "用户@例子.广告",
    '"jane.doe"@example.com',
    "jane%40example.com",
    "jane\\u0040example.com",
    "jane.doe@corp.local",
    "ana@firma.rs",
  ])("redacts %s", (address) => {
    expect(redact(`to ${address} failed`).text).toBe("to [REDACTED_EMAIL] failed");
  });

  it.each([
    "rabbit@rmq-0.rmq-headless.default.svc.cluster.local",
    "rabbit@rmq-server-2.rmq-nodes.messaging",
    "celery@beat-5d78c9869d-k4j2m.workers",
    "ssh deploy@bastion.example.com",
    "scp core ops@build.example.com:/tmp",
    "shop/app@db.example.com:5432",
    "git@github.com:acme/shop.git",
    "golang.org/x/net@v0.0.0-20241118203411-3f2a1b0c9d8e",
    "getty@tty1.service",
    "com.acme.Order@7a81197d",
    "root@ip-10-0-4-12.eu-west-1.compute.internal",
    "shop@acme-prod.iam.gserviceaccount.com",
    "message-id=<20261121030003.4F2B71C48A@mx1.shop.example>",
  ])("leaves %s", (text) => {
    expect(redact(text).text).toBe(text);
  });
});
