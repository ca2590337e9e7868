import { describe, expect, it } from "vitest";
import { readSignature, signatureFingerprint } from "../../../../functions/memory/read-signature.ts";
import { createServices } from "../../../../functions/services.ts";
import { readEvidence } from "../../../../lib/logs/read-evidence.ts";
import { createRedact, redact } from "../../../../lib/redaction/redact.ts";
import { MINIMAL } from "../../config-samples.ts";

const PRIVATE = [
  "10.0.0.7",
  "172.16.0.1",
  "172.31.255.254",
  "192.168.1.20",
  "100.64.12.9",
  "169.254.169.254",
  "10.0.128.0/20",
  "fd00:40::17",
  "fe80::21b:44ff:fe11:3ab7",
  "::ffff:10.244.3.17",
];
const PUBLIC = [
  "203.0.113.45",
  "172.32.0.9",
  "100.128.3.77",
  "192.0.2.14",
  "8.8.8.8",
  "2001:db8:42::7f",
  "::ffff:198.51.100.3",
];

describe("addresses", () => {
  it.each(PRIVATE)("leaves %s of a private network", (address) => {
    expect(redact(`from ${address} refused`).text).toBe(`from ${address} refused`);
  });

  it.each(PRIVATE)("redacts %s if REDACT_PRIVATE_ADDRESSES is true, and only there", (address) => {
    const hidden = createServices({ ...MINIMAL, REDACT_PRIVATE_ADDRESSES: "true" });
    const shown = createServices(MINIMAL);
    const text = `from ${address} refused`;
    expect(hidden.redact(text).text).toMatch(/^from \[REDACTED_IP\](?:\/20)? refused$/);
    expect(hidden.guard.text(text)).toBe(createRedact("public_and_private")(text).text);
    expect(shown.guard.request({ title: text }).request.title).toBe(text);
  });

  it.each(PUBLIC)("redacts %s", (address) => {
    expect(redact(`from ${address} refused`).text).toBe("from [REDACTED_IP] refused");
    expect(redact(`dial tcp [${address}]:443`).text).toBe("dial tcp [[REDACTED_IP]]:443");
  });

  it.each([
    "dockerd 27.3.1.4 failed",
    "nginx/1.27.2.1",
    "app_version=27.3.1.4",
    '{"appVersion":"27.3.1.4"}',
    "kernel 5.15.0.91",
    "acme/shop:27.4.12.7",
    "pip install client==2.14.0.1",
    "upgraded agent from 27.3.1.3 to 27.3.1.4",
    "OID 2.5.29.15",
  ])("leaves the version in: %s", (text) => {
    expect(redact(text).text).toBe(text);
  });

  it.each([
    "client 3.8.20.5 denied",
    "sourceIp=5.9.12.20",
    "3.14.15.9 timed out",
    "redirect to db.example.com/5.9.12.20:443",
  ])("redacts the address that looks like a version in: %s", (text) => {
    expect(redact(text).text).toContain("[REDACTED_IP]");
  });

  it("recognises the same failure with other addresses", () => {
    const fingerprint = (address: string) => {
      const logs = redact(
        `ERROR api: dial tcp ${address}:5432: connect: connection refused\nERROR api: request to ${address} failed`,
      ).text;
      const report = { title: `api cannot reach ${address}`, question: null, target: "api", labels: {}, logs };
      const signed = { ...report, evidence: readEvidence({ ...report, headline: report.title }) };
      return signatureFingerprint(readSignature(signed), signed);
    };
    expect(fingerprint("10.244.3.17")).toBe(fingerprint("10.244.9.201"));
    expect(fingerprint("fd00:40::17")).toBe(fingerprint("fd00:40::9a1"));
  });
});
