// What Dejavu reads in the text: failures, problems, sections, checks, and lines with secrets.

import type { paths } from "../../../../client/client.js";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { useRequest } from "../../api/use-request.ts";
import { Badge } from "../../components/badge.tsx";
import { Section } from "../../components/page.tsx";
import { Loaded } from "../../components/states.tsx";

import { counted } from "../../format/words.ts";
import { useReload, useSettled } from "./use-settled.ts";

type Inspection = paths["/v1/runbooks/check"]["post"]["responses"]["200"]["content"]["application/json"];

const INSPECT_AFTER_MS = 600;

const ROLES = {
  symptoms: "Symptoms",
  causes: "Root causes",
  confirm: "Confirm",
  mitigate: "Mitigate",
  prevent: "Prevent",
} as const;

export function TextInspection({ text, source }: { readonly text: string; readonly source: string }) {
  const settledText = useSettled(text, INSPECT_AFTER_MS);
  const query = source === "" ? {} : { source };
  const request = useRequest<Inspection>("inspection", (options) =>
    api.POST("/v1/runbooks/check", {
      params: { query },
      body: settledText,
      bodySerializer: (body) => body ?? "",
      ...options,
      headers: { "content-type": "text/markdown" },
    }),
  );
  useReload(settledText, request.reload);
  return (
    <Section title="What Dejavu reads in it">
      <Loaded request={request} name="the check of the text" lines={4}>
        {(inspection) => <Findings inspection={inspection} />}
      </Loaded>
    </Section>
  );
}

function Findings({ inspection }: { readonly inspection: Inspection }) {
  const { problems, redactions, sections, checks, chunks, topics } = inspection;
  // Each of several topics lists its own.
  const missing = topics.length > 1 ? [] : inspection.missing;
  return (
    <div class="stack" aria-live="polite">
      <Failures inspection={inspection} />
      <ul class="list">
        {problems.map(({ line, message }) => (
          <li key={`${line} ${message}`}>
            <Badge tone="warn">{line === null ? "Text" : `Line ${line}`}</Badge> {displayText(message)}
          </li>
        ))}
        {redactions.map(({ line, kinds }) => (
          <li key={line}>
            <Badge tone="bad">Line {line}</Badge> holds {kinds.map(kindName).join(" and ")}: it is removed before the
            text is stored.
          </li>
        ))}
        {missing.map((role) => (
          <li key={role}>
            <Badge tone="info">Missing</Badge> No section such as “{ROLES[role]}”: answers have nothing to quote there.
          </li>
        ))}
        {problems.length + redactions.length + missing.length === 0 && (
          <li>
            <Badge tone="good">Good</Badge> No problems.
          </li>
        )}
      </ul>
      <p class="note">
        {counted(sections.length, "section")}, {counted(checks.length, "check")} that can run, {counted(chunks, "part")}{" "}
        to search.
        {checks.length > 0 && ` Checks: ${checks.map(({ name }) => displayText(name)).join(", ")}.`}
      </p>
    </div>
  );
}

/** The failures that the text is about, as the search and the answers tell them apart. */
function Failures({ inspection: { title, topics, overview } }: { readonly inspection: Inspection }) {
  if (topics.length < 2) return topics.length === 0 ? null : <p>One failure: {displayText(title)}</p>;
  return (
    <>
      <p>Several failures: {topics.length} topics</p>
      <ul class="list">
        {topics.map(({ title: name, anchor, line, roles, missing }) => (
          <li key={anchor}>
            <Badge>Line {line}</Badge> {displayText(anchor === null ? title : name)}
            {anchor !== null && <code> #{displayText(anchor)}</code>}: {rolesText(roles, missing)}
          </li>
        ))}
        {overview.map(({ line, heading }) => (
          <li key={line}>
            <Badge>Line {line}</Badge> {heading === "" ? "The opening" : displayText(heading)}: overview only.
          </li>
        ))}
      </ul>
    </>
  );
}

type Roles = Inspection["missing"];

function rolesText(roles: Roles, missing: Roles): string {
  const named = (all: Roles) => all.map((role) => ROLES[role]).join(", ");
  if (roles.length === 0) return "no sections such as “Symptoms” or “Mitigate”.";
  return missing.length === 0 ? `${named(roles)}.` : `${named(roles)}; missing: ${named(missing)}.`;
}

function kindName(kind: string): string {
  return kind.toLowerCase().replaceAll("_", " ");
}
