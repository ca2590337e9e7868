// The view Quality: how often answers are right, failures without a runbook, dependencies and jobs.

import { useRoute } from "preact-iso/router";
import { Page } from "../../components/page.tsx";
import { EmptyState } from "../../components/states.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { consolePath } from "../../format/console-path.ts";
import { Answers } from "./answers.tsx";
import { Gaps } from "./gaps.tsx";
import "./quality.css";
import { System } from "./system.tsx";

const PARTS = [
  { path: "", name: "Answers", component: Answers },
  { path: "/gaps", name: "No runbook", component: Gaps },
  { path: "/system", name: "System", component: System },
] as const;

export function Quality() {
  const { rest = "" } = useRoute().params;
  const current = PARTS.find(({ path }) => path === (rest === "" ? "" : `/${rest}`));
  const Part = current?.component;
  const tabs = PARTS.map(({ path, name }) => ({
    href: consolePath(`/quality${path}`),
    name,
    isCurrent: path === current?.path,
  }));
  return (
    <Page title="Quality">
      <Tabs label="Parts of Quality" tabs={tabs} />
      {Part === undefined ? (
        <EmptyState title="There is no such page.">
          <a href={consolePath("/quality")}>Show how often answers are right</a>
        </EmptyState>
      ) : (
        <Part key={rest} />
      )}
    </Page>
  );
}
