import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createSns } from "../../../functions/adapters/sns.ts";
import { isTopicServiceUrl } from "../../../functions/adapters/topic-service.ts";
import { cloudwatch } from "../../../functions/incidents/webhooks/cloudwatch.ts";
import { startRealTimer } from "../../../functions/timers.ts";

const fixture = JSON.parse(
  readFileSync(new URL("../../integration/alerts/fixtures/sns-signed.json", import.meta.url), "utf8"),
);

/** Verifies a message. The stand-in serves the certificate and notes the addresses that are called. */
async function verify(message: object, certificate: string = fixture.certificate) {
  const called: string[] = [];
  const service = createSns({
    timeoutMs: 1_000,
    startTimer: startRealTimer,
    fetch: async (address) => {
      called.push(String(address));
      return new Response(certificate);
    },
  });
  const refusal = await cloudwatch.verifyWithSender?.(cloudwatch.schema.parse(message), service);
  return { refusal, called };
}

describe("a message of a topic", () => {
  it.each(["version1", "version2"])("is accepted with a valid signature, %s", async (version) => {
    const { refusal, called } = await verify(fixture[version]);
    expect([refusal, called]).toEqual([null, [fixture[version].SigningCertURL]]);
  });

  it.each([
    ["another text", { Message: "{}" }],
    ["another topic", { TopicArn: "arn:aws:sns:eu-central-1:999999999999:dejavu" }],
    ["a subject that was removed", { Subject: undefined }],
    ["the other version", { SignatureVersion: "1" }],
    ["no Base64", { Signature: "no signature" }],
  ])("is refused with %s", async (_what, change) => {
    expect((await verify({ ...fixture.version2, ...change })).refusal).toContain("signature");
  });

  it.each([
    "http://sns.eu-central-1.amazonaws.com/a.pem",
    "https://sns.eu-central-1.amazonaws.com.evil.example/a.pem",
    "https://evil.example/sns.eu-central-1.amazonaws.com/a.pem",
    "https://sns.eu-central-1.amazonaws.com@evil.example/a.pem",
    "https://sns.eu-central-1.amazonaws.com:8443/a.pem",
    "https://s3.eu-central-1.amazonaws.com/a.pem",
    "https://sns.eu-central-1.amazonaws.com/a.txt",
    "https://127.0.0.1/a.pem",
  ])("has its certificate read from SNS only, not from %s", async (SigningCertURL) => {
    const { refusal, called } = await verify({ ...fixture.version2, SigningCertURL });
    expect([refusal !== null, called]).toEqual([true, []]);
  });

  it("cannot be verified with a text that is no certificate", async () => {
    await expect(verify(fixture.version2, "<html>")).rejects.toThrow("certificate");
  });

  it("that asks for a confirmation is confirmed once its signature is valid", async () => {
    const { confirmation } = fixture;
    const { refusal, called } = await verify(confirmation);
    expect([refusal, called]).toEqual([null, [confirmation.SigningCertURL, confirmation.SubscribeURL]]);
    const forged = await verify({ ...confirmation, Token: "another" });
    expect(forged.called).toEqual([confirmation.SigningCertURL]);
  });

  it("is not confirmed at another server, also with a valid signature", async () => {
    const { refusal, called } = await verify(fixture.foreignConfirmation);
    expect(refusal).toContain("SubscribeURL");
    expect(called).toEqual([fixture.foreignConfirmation.SigningCertURL]);
  });
});

it("servers of SNS are also those of China", () => {
  expect(isTopicServiceUrl("https://sns.cn-north-1.amazonaws.com.cn/?Action=ConfirmSubscription")).toBe(true);
});
