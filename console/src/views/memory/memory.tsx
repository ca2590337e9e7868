// The view Memory: failures with their fixes, what a query recalls, and the layers behind them.

import { useRoute } from "preact-iso/router";
import { Page } from "../../components/page.tsx";
import { EmptyState } from "../../components/states.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { consolePath } from "../../format/console-path.ts";
import { session } from "../../session/session.ts";
import { Audit, PastAnswers, PendingWrites, Procedures, Sessions } from "./details.tsx";
import { Observation } from "./observation.tsx";
import { Observations } from "./observations.tsx";
import { Recall } from "./recall.tsx";
import "./memory.css";

const FIRST = [
  {
    path: "",
    name: "Failures",
    note: "What fixed each failure. Reports that share error lines have one record; records whose answers name one failure are together.",
    component: Observations,
  },
  {
    path: "/recall",
    name: "Recall",
    note: "Shows what a report would recall, and why. Nothing is stored.",
    component: Recall,
  },
] as const;
/** The layers behind the failures. */
const DETAILS = [
  { path: "/past-answers", name: "Answers", note: "Questions and what Dejavu answered.", component: PastAnswers },
  { path: "/procedures", name: "Approaches", note: "What led to a good answer: later hints.", component: Procedures },
  { path: "/sessions", name: "Sessions", note: "Threads in Slack, and sessions of agents.", component: Sessions },
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
  const details = DETAILS.filter((list) => !("isForAll" in list) || session.value?.domains === null);
  const path = rest === "" ? "" : `/${rest}`;
  const detail = details.find((list) => list.path === path);
  const current = detail ?? FIRST.find((list) => list.path === path);
  const tabOf = (list: { readonly path: string; readonly name: string }) => ({
    href: consolePath(`/memory${list.path}`),
    name: list.name,
    isCurrent: list.path === path,
  });
  const List = current?.component;
  return (
    <Page title="Memory">
      <Tabs
        label="Records of memory"
        tabs={[
          ...FIRST.map(tabOf),
          { href: consolePath("/memory/past-answers"), name: "Details", isCurrent: detail !== undefined },
        ]}
      />
      {detail !== undefined && <Tabs label="Details of memory" tabs={details.map(tabOf)} />}
      {List === undefined ? (
        <EmptyState title="There is no such page.">
          <a href={consolePath("/memory")}>Show the failures</a>
        </EmptyState>
      ) : (
        <>
          <p class="note">{current?.note}</p>
          <List key={path} />
        </>
      )}
    </Page>
  );
}
