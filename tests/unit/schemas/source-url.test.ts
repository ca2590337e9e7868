import { describe, expect, it } from "vitest";
import {
  findOpenUrlProblem,
  findUrlProblem,
  isPrivateAddress,
  sendsInClearText,
} from "../../../functions/schemas/evidence/source-url.ts";

describe("the address of a source", () => {
  it.each([
    ["prometheus", "http://127.0.0.1:9090"],
    ["prometheus", "https://mimir.example.com/prometheus"],
    ["prometheus", "https://grafana.example.com/api/datasources/proxy/uid/abc-1"],
    ["loki", "https://loki.example.com/"],
    ["kubernetes", "https://[2001:db8::1]:6443"],
    ["kubernetes", "https://10.0.0.1:6443"],
    ["postgres", "postgres://db.example.com:5432/postgres"],
    ["postgres", "postgresql://monitor@db.example.com/orders?sslmode=require"],
  ] as const)("of the kind %s may be %s", (kind, url) => {
    expect(findUrlProblem(kind, url)).toBeNull();
  });

  it.each([
    ["prometheus", "ftp://example.com", "begins with http:// or https://"],
    ["prometheus", "postgres://example.com/x", "begins with http:// or https://"],
    ["postgres", "https://example.com", "begins with postgresql:// or postgres://"],
    ["prometheus", "//example.com", "begins with"],
    ["prometheus", "https://", "begins with"],
    ["prometheus", "https://example.com:99999", "begins with"],
    ["prometheus", "https://exa mple.com", "begins with"],
    ["prometheus", "https:\\\\example.com", "begins with"],
    ["prometheus", "javascript:alert(1)", "begins with"],
    ["prometheus", `https://example.com/${"a".repeat(2_000)}`, "at most 2000 characters"],
    ["prometheus", "https://me:secret@example.com", "must not hold a password"],
    ["prometheus", "https://me@example.com", "must not hold a user"],
    ["postgres", "postgres://me:secret@example.com/x", "must not hold a password"],
    ["postgres", "postgres://example.com/x?options=-c%20search_path%3Dx", "no parameter but `sslmode`"],
    ["postgres", "postgres://example.com/x?sslmode=prefer", "disable, require, verify-ca, verify-full"],
    ["prometheus", "https://example.com/?tenant=a", "must not have a query"],
    ["prometheus", "https://example.com/?", "must not have a query"],
    ["prometheus", "https://example.com/#x", "must not have a fragment"],
    ["postgres", "postgres://example.com/x#y", "must not have a fragment"],
  ] as const)("of the kind %s must not be %s", (kind, url, problem) => {
    expect(findUrlProblem(kind, url)).toContain(problem);
  });

  it.each([
    "http://169.254.169.254",
    "http://169.254.169.254:80/latest",
    "http://169.254.0.1",
    "http:///169.254.169.254/",
    "http://2852039166",
    "http://0xa9fea9fe",
    "http://0251.0376.0251.0376",
    "http://169.254.43518",
    "http://[::ffff:169.254.169.254]",
    "http://[::169.254.169.254]",
    "http://[64:ff9b::a9fe:a9fe]",
    "http://[64:ff9b:1::a9fe:a9fe]",
    "http://[64:ff9b:1:a9fe:a9:fe00::]",
    "http://[2002:a9fe:a9fe::1]",
    "http://[2002:a83f:8110::]",
    "http://[fd20:ce::254]",
    "http://192.0.0.192",
    "http://169.254.169.254.nip.io",
    "http://logs-169-254-169-254.sslip.io",
    "http://a9fea9fe.nip.io",
    "http://metadata.tencentyun.com",
    "http://api.metadata.cloud.ibm.com",
    "http://metadata.oraclecloud.com",
    "http://[fd00:c1::a9fe:a9fe]/opc/v2/",
    "http://[fd00:a9fe:a9fe::1]",
    "http://[fd00:100::100:200]",
    "http://[fd00:42::42]",
    "http://100.96.0.96",
    "http://[fd00:ec2::254]",
    "http://[FD00:0EC2:0000::0254]:80",
    "http://[fe80::1]",
    "http://metadata.google.internal",
    "http://METADATA.google.internal./computeMetadata/v1",
    "http://metadata",
    "http://168.63.129.16",
    "http://100.100.100.200",
    "http://１６９.254.169.254",
    "http://%31%36%39.254.169.254",
  ])("must not reach the metadata service of a cloud: %s", (url) => {
    expect(findUrlProblem("prometheus", url)).toContain("metadata service");
  });

  it.each(["postgres://169.254.169.254/x", "postgres://0xa9fea9fe/x", "postgres://me@[fd00:ec2::254]:5432/x"])(
    "must not reach it as a database either: %s",
    (url) => {
      expect(findUrlProblem("postgres", url)).toContain("metadata service");
    },
  );
});

describe("a private address", () => {
  it.each([
    ["https://127.0.0.1", true],
    ["https://[::1]", true],
    ["https://[::ffff:10.0.0.1]", true],
    ["https://[fd12::1]", true],
    ["https://127.0.0.1.nip.io", true],
    ["https://app-10-0-0-1.sslip.io", true],
    ["https://8.8.8.8.nip.io", false],
    ["https://[2001:db8::1]", false],
    ["https://hooks.example.com", false],
  ])("is %s: %s", (url, isPrivate) => {
    expect(isPrivateAddress(url)).toBe(isPrivate);
  });
});

describe("a credential", () => {
  it.each([
    ["https://metrics.example.com", false],
    ["http://metrics.corp.com", true],
    ["HTTP://8.8.8.8", true],
    ["http://10.1.2.3:9090", false],
    ["http://[fd12::1]:9090", false],
    ["http://[::ffff:127.0.0.1]", false],
    ["http://127.0.0.1.nip.io", true],
    ["http://prometheus:9090", false],
    ["http://prometheus.monitoring.svc:9090", false],
    ["postgres://db.corp.com/x", false],
    ["postgres://db.corp.com/x?sslmode=disable", true],
    ["postgres://10.1.2.3/x?sslmode=disable", false],
  ])("sent to %s crosses a public network in clear text: %s", (url, isExposed) => {
    expect(sendsInClearText(url)).toBe(isExposed);
  });
});

describe("the address for links", () => {
  it.each(["https://grafana.example.com", "http://prometheus.corp.com:9090/path"])("may be %s", (url) => {
    expect(findOpenUrlProblem(url)).toBeNull();
  });

  it.each([
    ["javascript:alert(1)", "begins with http:// or https://"],
    ["data:text/html,x", "begins with http:// or https://"],
    ["https://me:secret@grafana.example.com", "must not hold a user or a password"],
    ["https://me@grafana.example.com", "must not hold a user or a password"],
    ["https://grafana.example.com/explore?orgId=1", "must not have a query or a fragment"],
    ["https://grafana.example.com/#x", "must not have a query or a fragment"],
  ])("must not be %s", (url, problem) => {
    expect(findOpenUrlProblem(url)).toContain(problem);
  });
});
