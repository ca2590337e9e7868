// The view Settings: connections, tokens, sources of evidence, notification targets and signed-in sessions.

import { useRoute } from "preact-iso/router";
import { Page } from "../../components/page.tsx";
import { EmptyState } from "../../components/states.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { consolePath } from "../../format/console-path.ts";
import { can } from "../../session/session.ts";
import { Connect } from "./connect.tsx";
import { Notifications } from "./notifications.tsx";
import { Sessions } from "./sessions.tsx";
import { Sources } from "./sources.tsx";
import { Tokens } from "./tokens.tsx";
import "./settings.css";

// A tab is shown to sessions with the scope.
const TABS = [
  { path: "connect", name: "Connect", scope: "admin", component: Connect },
  { path: "tokens", name: "Tokens", scope: "admin", component: Tokens },
  { path: "sources", name: "Sources of evidence", scope: "ingest", component: Sources },
  { path: "notifications", name: "Notifications", scope: "admin", component: Notifications },
  { path: "sessions", name: "Signed-in sessions", scope: "admin", component: Sessions },
] as const;

export function Settings() {
  const [first = "", ...others] = (useRoute().params.rest ?? "").split("/");
  const tabs = TABS.filter(({ scope }) => can(scope));
  const current = first === "" ? tabs[0] : tabs.find(({ path }) => path === first);
  const Tab = others.length === 0 ? current?.component : undefined;
  return (
    <Page title="Settings">
      <Tabs
        label="Settings"
        tabs={tabs.map(({ path, name }) => ({
          href: consolePath(`/settings/${path}`),
          name,
          isCurrent: path === current?.path,
        }))}
      />
      {Tab === undefined ? (
        <EmptyState title="There is no such page, or your token does not allow it.">
          <a href={consolePath("/settings")}>Go to Settings</a>
        </EmptyState>
      ) : (
        <Tab key={current?.path} />
      )}
    </Page>
  );
}
