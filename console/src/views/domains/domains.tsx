// The view Domains: the list with a box that routes a text, one domain, and its editor.

import { useLocation, useRoute } from "preact-iso/router";
import { can } from "../../session/session.ts";
import { DomainList } from "./domain-list.tsx";
import { DomainPage, NewDomain } from "./domain-page.tsx";
import "./domains.css";

export function Domains() {
  const { rest = "" } = useRoute().params;
  const { query } = useLocation();
  if (rest !== "")
    return <DomainPage key={`${rest} ${query.part ?? ""}`} name={rest} isEdited={query.part === "edit"} />;
  if (query.part === "new" && can("ingest")) return <NewDomain />;
  return <DomainList />;
}
