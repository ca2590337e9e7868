// The view Memory: the records of each layer, one observation, and what a query recalls.

import { useRoute } from "preact-iso/router";
import { EmptyState } from "../../components/empty-state.tsx";
import { Page } from "../../components/page.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { consolePath } from "../../format/console-path.ts";
import { session } from "../../session/session.ts";
import { Audit } from "./audit.tsx";
import { Observation } from "./observation.tsx";
import { Observations } from "./observations.tsx";
import { PastAnswers } from "./past-answers.tsx";
import { PendingWrites } from "./pending-writes.tsx";
import { Procedures } from "./procedures.tsx";
import { Recall } from "./recall.tsx";
import { Sessions } from "./sessions.tsx";
import "./memory.css";

const LISTS = [
  { path: "", name: "Observations", note: "One record for each failure, with what fixed it.", component: Observations },
  {
    path: "/recall",
    name: "Recall",
    note: "Shows what a report would recall, and why. Nothing is stored.",
    component: Recall,
  },
  { path: "/past-answers", name: "Past answers", note: "Questions and what Dejavu answered.", component: PastAnswers },
  {
    path: "/procedures",
    name: "Procedures",
    note: "Approaches that led to a good answer. Later investigations use them as hints.",
    component: Procedures,
  },
  {
    path: "/sessions",
    name: "Sessions",
    note: "A thread in Slack, a session of an agent, or requests with one session id.",
    component: Sessions,
  },
  {
    path: "/pending-writes",
    name: "Pending writes",
    note: "Records that are stored and not yet in the search index.",
    component: PendingWrites,
    isForAll: true,
  },
  {
    path: "/changes",
    name: "Changes",
    note: "Who changed or deleted which record, without its text.",
    component: Audit,
    isForAll: true,
  },
] as const;

export function Memory() {
  const rest = useRoute().params.rest ?? "";
  const observation = /^observations\/([^/]+)$/.exec(rest)?.[1];
  if (observation !== undefined) return <Observation id={observation} />;
  // What concerns all domains is not for a token of some of them.
  const lists = LISTS.filter((list) => !("isForAll" in list) || session.value?.domains === null);
  const current = lists.find(({ path }) => path === (rest === "" ? "" : `/${rest}`));
  const tabs = lists.map(({ path, name }) => ({
    href: consolePath(`/memory${path}`),
    name,
    isCurrent: path === current?.path,
  }));
  const List = current?.component;
  return (
    <Page title="Memory">
      <Tabs label="Records of memory" tabs={tabs} />
      {List === undefined ? (
        <EmptyState title="There is no such page.">
          <a href={consolePath("/memory")}>Show the observations</a>
        </EmptyState>
      ) : (
        <>
          <p class="note">{current?.note}</p>
          <List key={current?.path} />
        </>
      )}
    </Page>
  );
}
