// Files of each format, from the path to the bodies that are sent.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ImportOptions, readImport } from "../../../../cli/import/read-import.ts";

const DEFAULTS: ImportOptions = {
  format: null,
  system: null,
  fix: null,
  columns: new Map(),
  domain: undefined,
  dates: null,
};

/** Imports these files: one by its path, several by their folder. */
async function read(files: Readonly<Record<string, string | Buffer>>, options: Partial<ImportOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "dejavu-import-"));
  try {
    const names = Object.keys(files);
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), content);
    }
    return await readImport(names.length === 1 ? join(folder, names[0] ?? "") : folder, { ...DEFAULTS, ...options });
  } finally {
    await rm(folder, { recursive: true });
  }
}

const reasons = ({ refused }: Awaited<ReturnType<typeof read>>) => refused.map(({ id, reason }) => `${id} ${reason}`);

const INCIDENT = {
  id: "Q1",
  incident_number: 101,
  title: "orders-db: too many clients",
  created_at: "2025-03-01T02:58:00Z",
  resolved_at: "2025-03-01T03:21:00Z",
  status: "resolved",
  urgency: "low",
  priority: { summary: "P1" },
  html_url: "https://acme.pagerduty.com/incidents/Q1",
  service: { summary: "orders-db" },
  notes: [
    { content: "Lowered the pool", created_at: "2025-03-01T03:20:00Z", user: { summary: "Dana" } },
    { content: "100 idle connections", created_at: "2025-03-01T03:05:00Z", user: { summary: "Eli" } },
  ],
};

describe("PagerDuty", () => {
  it("takes the last note as the fix, and the others as the description", async () => {
    const { incidents, refused } = await read({ "incidents.json": JSON.stringify({ incidents: [INCIDENT] }) });
    expect(refused).toEqual([]);
    expect(incidents).toEqual([
      {
        from: "pagerduty",
        body: {
          id: "Q1",
          url: "https://acme.pagerduty.com/incidents/Q1",
          title: "orders-db: too many clients",
          description: "100 idle connections",
          target: "orders-db",
          severity: "critical",
          opened_at: "2025-03-01T02:58:00.000Z",
          resolved_at: "2025-03-01T03:21:00.000Z",
          fix: "Lowered the pool",
          fixed_by: "Dana",
        },
      },
    ]);
  });

  it("refuses incidents that are open, merged or twice there, and those without a fix", async () => {
    const { notes: _, ...withoutNotes } = INCIDENT;
    const result = await read({
      "incidents.json": JSON.stringify([
        { ...INCIDENT, id: "open", status: "acknowledged" },
        { ...INCIDENT, id: "merged", resolve_reason: { type: "merge_resolve_reason" } },
        { ...withoutNotes, id: "silent" },
        { ...INCIDENT, id: "mute", notes: [{ content: "Auto-resolved." }] },
        { ...INCIDENT, id: "never", created_at: null },
        { ...INCIDENT, id: "back", resolved_at: "2025-02-01T03:21:00Z" },
        INCIDENT,
        INCIDENT,
      ]),
    });
    expect(reasons(result)).toEqual([
      "open is not resolved",
      "merged is a duplicate: it was merged into another incident",
      "silent has no fix",
      "mute has a fix that names no action",
      "never has no start",
      "back ends before it starts",
      "Q1 is there twice",
    ]);
    expect(result.incidents).toHaveLength(1);
  });

  it("reads the CSV of a report, oldest first", async () => {
    const csv =
      "id,incident_number,description,service_name,created_on,resolved_on,urgency,My Fix\nQ2,2,later,kafka,2025-05-02T10:00:00Z,2025-05-02T11:00:00Z,high,b\nQ1,1,earlier,kafka,2025-05-01T10:00:00Z,2025-05-01T11:00:00Z,high,Lowered the retention\n";
    const { incidents } = await read({ "report.csv": csv }, { fix: "My Fix" });
    expect(incidents.map(({ body }) => [body.id, body.title, body.target, body.fix])).toEqual([
      ["Q1", "earlier", "kafka", "Lowered the retention"],
      ["Q2", "later", "kafka", "b"],
    ]);
  });
});

describe("Opsgenie", () => {
  it("reads an alert of the API with the time from its creation to its end", async () => {
    const alert = {
      id: "a1",
      tinyId: "55",
      message: "redis: OOM command not allowed",
      status: "closed",
      priority: "P2",
      entity: "redis",
      createdAt: "2025-02-11T09:00:00.000Z",
      updatedAt: "2025-02-12T00:00:00.000Z",
      report: { closeTime: 2_400_000, closedBy: "eli@example.com" },
      details: { cluster: "eu1" },
      notes: [{ note: "Raised maxmemory", createdAt: "2025-02-11T09:39:00Z" }],
    };
    const { incidents } = await read({ "alerts.json": JSON.stringify({ data: [alert] }) });
    expect(incidents[0]?.body).toMatchObject({
      id: "a1",
      severity: "high",
      target: "redis",
      labels: { cluster: "eu1" },
      resolved_at: "2025-02-11T09:40:00.000Z",
      fix: "Raised maxmemory",
      fixed_by: "eli",
    });
  });

  it("reads a CSV with semicolons, a byte order mark and local dates", async () => {
    const csv =
      "\uFEFFAlert ID;Message;Status;Priority;Created At;Closed At;Notes\nog-9;nginx 502;closed;P3;11.02.2025 09:00;11.02.2025 10:00;Raised the timeout; \n";
    const { incidents } = await read({ "alerts.csv": csv });
    expect(incidents[0]).toMatchObject({
      from: "opsgenie",
      body: { id: "og-9", opened_at: "2025-02-11T09:00:00.000Z", fix: "Raised the timeout" },
    });
    const utf16 = await read({ "alerts.csv": Buffer.from(csv, "utf16le") });
    expect(utf16.incidents).toEqual(incidents);
  });
});

const JIRA_HEADER =
  "Summary,Issue key,Status,Resolution,Created,Resolved,Description,Comment,Comment,Custom field (Fix)";

describe("Jira", () => {
  it("takes a custom field as the fix, else the last of the repeated comments", async () => {
    const csv = `${JIRA_HEADER}
CrashLoopBackOff,OPS-1,Done,Fixed,11/May/24 03:26 PM,11/May/24 04:10 PM,{noformat}Cannot find module{noformat},11/May/24 3:40 PM;eli;A build step; is missing,11/May/24 4:05 PM;5b10a2844c20165700ede21d;Rolled back,
Slow search,OPS-2,Done,Fixed,12/May/24 03:26 PM,12/May/24 04:10 PM,,12/May/24 4:05 PM;eli;Closed it,,Rebuilt the index
`;
    const { incidents } = await read({ "jira.csv": csv });
    expect(incidents.map(({ body }) => body)).toEqual([
      {
        id: "OPS-1",
        title: "CrashLoopBackOff",
        description: "Cannot find module\n\nA build step; is missing",
        opened_at: "2024-05-11T15:26:00.000Z",
        resolved_at: "2024-05-11T16:10:00.000Z",
        fix: "Rolled back",
      },
      expect.objectContaining({ id: "OPS-2", fix: "Rebuilt the index", description: "Closed it" }),
    ]);
  });

  it("keeps a comment without time and author whole, also with semicolons", async () => {
    const comment = "Raised the limit; restarted the pods; watched the queue";
    const csv = `${JIRA_HEADER}\nSlow search,OPS-1,Done,Fixed,11/May/24 03:26 PM,11/May/24 04:10 PM,,${comment},,\n`;
    const { incidents } = await read({ "jira.csv": csv });
    expect(incidents[0]?.body.fix).toBe(comment);
  });

  it("refuses duplicates, what was not fixed and what is open", async () => {
    const row = (key: string, status: string, resolution: string, resolved: string) =>
      `Slow,${key},${status},${resolution},11/May/24 03:26 PM,${resolved},,,,Restarted it`;
    const csv = [
      JIRA_HEADER,
      row("OPS-1", "Done", "Duplicate", "11/May/24 03:26 PM"),
      row("OPS-2", "Done", "Won't Do", "11/May/24 03:26 PM"),
      row("OPS-3", "In Progress", "", ""),
    ].join("\n");
    expect(reasons(await read({ "jira.csv": csv }))).toEqual([
      "OPS-1 is a duplicate",
      "OPS-2 was not fixed: its resolution is Won't Do",
      "OPS-3 is not resolved",
    ]);
  });

  it("reads the answer of the API with documents of the Atlassian format", async () => {
    const paragraph = (text: string) => ({
      type: "doc",
      content: [{ type: "paragraph", content: [{ type: "text", text }] }],
    });
    const fields = {
      summary: "Slow search",
      description: paragraph("p99 is 9 s"),
      status: { name: "Done" },
      resolution: { name: "Done" },
      created: "2024-05-11T15:26:00.000+0200",
      resolutiondate: "2024-05-11T16:26:00.000+0200",
      components: [{ name: "search" }],
      comment: {
        comments: [{ body: paragraph("Rebuilt the index"), author: { displayName: "Dana" }, created: "2024-05-11" }],
      },
    };
    const { incidents } = await read({ "search.json": JSON.stringify({ issues: [{ key: "OPS-1", fields }] }) });
    expect(incidents[0]?.body).toMatchObject({
      id: "OPS-1",
      description: "p99 is 9 s",
      target: "search",
      opened_at: "2024-05-11T13:26:00.000Z",
      fix: "Rebuilt the index",
      fixed_by: "Dana",
    });
  });
});

describe("a folder of postmortems", () => {
  it("takes the section that says what fixed it, and not what is planned", async () => {
    const { incidents, refused } = await read({
      "2024/2024-11-20-certificate.md":
        "# Post-mortem: Certificate expired\n\n- **Severity**: SEV2\n- **Service**: ingress\n\n## Root cause\n\nA network policy blocked the challenge.\n\n## Resolution\n\nAllowed port 80.\n\n### Commands\n\n`cmctl renew shop`\n\n## Action items\n\n- Fix the alert.\n",
      "2024/disk.md":
        "---\ntitle: Disk full\ndate: 2024-02-03\nresolved_at: 2024-02-03T10:00:00Z\n---\n\n## How it was fixed\n\nDeleted old segments.\n",
      "no-fix.md": "# Odd\n\nDate: 2024-01-02\n\n## Summary\n\nIt broke.\n\n## Follow-up: resolution\n\nLater.\n",
      "template.md": "# <title>\n\n## Resolution\n\nWhat you did.\n",
      "README.md": "# About\n",
    });
    expect(incidents).toEqual([
      {
        from: "postmortems",
        body: {
          id: "2024/disk.md",
          title: "Disk full",
          opened_at: "2024-02-03T00:00:00.000Z",
          resolved_at: "2024-02-03T10:00:00.000Z",
          fix: "Deleted old segments.",
        },
      },
      {
        from: "postmortems",
        body: {
          id: "2024/2024-11-20-certificate.md",
          title: "Certificate expired",
          description:
            "- **Severity**: SEV2\n- **Service**: ingress\n\nRoot cause: A network policy blocked the challenge.",
          target: "ingress",
          severity: "high",
          opened_at: "2024-11-20T00:00:00.000Z",
          resolved_at: "2024-11-20T00:00:00.000Z",
          fix: "Allowed port 80.\n\n`cmctl renew shop`",
        },
      },
    ]);
    expect(refused.map(({ id, reason }) => `${id} ${reason}`)).toEqual([
      "no-fix.md has no fix",
      "template.md is a template",
    ]);
  });
});

it("a postmortem is of its date where its start and end are times of the day", async () => {
  const text =
    "# Disk full\n\nDate: 2025-03-01\nStart: 14:05 UTC\nEnd: 15:00 UTC\n\n## Resolution\n\nDeleted old segments.\n";
  const { incidents } = await read({ "disk.md": text });
  expect(incidents[0]?.body).toMatchObject({
    opened_at: "2025-03-01T00:00:00.000Z",
    resolved_at: "2025-03-01T00:00:00.000Z",
  });
});

describe("a CSV of one's own", () => {
  const CSV = "Outage,Began,What we did\nQueue grows,03/04/2025 08:00,Restarted the consumers\n";
  const columns = new Map([
    ["title", "Outage"],
    ["opened", "Began"],
    ["fix", "What we did"],
  ]);

  it("is read by the columns that the user names", async () => {
    const { incidents } = await read({ "Our outages.csv": CSV }, { columns, dates: "dmy", domain: "shop" });
    expect(incidents).toEqual([
      {
        from: "our-outages",
        body: {
          id: "03/04/2025 08:00 Queue grows",
          title: "Queue grows",
          labels: { domain: "shop" },
          opened_at: "2025-04-03T08:00:00.000Z",
          resolved_at: "2025-04-03T08:00:00.000Z",
          fix: "Restarted the consumers",
        },
      },
    ]);
  });

  it.each([
    ["dates that may be of two days", CSV, { columns }, /dates such as 03\/04\/2025 08:00.*--dates dmy/],
    [
      "columns that nobody named",
      CSV,
      {},
      /no column that is known to be the title.*--map title=<column>.*Outage, Began/,
    ],
    ["a column that is not there", CSV, { columns: new Map([["title", "Nope"]]) }, /no column "Nope"/],
    ["an open quote", 'a,b\n"x,y\n', {}, /no valid CSV/],
  ])("is refused with %s", async (_, csv, options, message) => {
    await expect(read({ "own.csv": csv }, options)).rejects.toThrow(message);
  });
});

describe("any file", () => {
  it("is refused if no format recognises it", async () => {
    await expect(read({ "x.json": '{"a": 1}' })).rejects.toThrow("is no export that is recognised");
    await expect(read({ "x.json": '{"a": ' })).rejects.toThrow("no valid JSON");
    await expect(read({ "x.json": "[]" }, { format: "jira" })).rejects.toThrow("not of the format jira");
  });
});
