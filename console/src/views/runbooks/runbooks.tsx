// The view Runbooks: the list, the search, one runbook, and a new one.

import { useRoute } from "preact-iso/router";
import { can } from "../../session/session.ts";
import { NewRunbook } from "./new-runbook.tsx";
import { RunbookList } from "./runbook-list.tsx";
import { splitName } from "./runbook-name.ts";
import { RunbookPage } from "./runbook-page.tsx";
import "./runbooks.css";

export function Runbooks() {
  const { rest = "" } = useRoute().params;
  if (rest === "new" && can("ingest")) return <NewRunbook />;
  if (!rest.includes("/")) return <RunbookList />;
  return <RunbookPage key={rest} name={splitName(rest)} />;
}
