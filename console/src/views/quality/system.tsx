// The dependencies with what is missing while one is unavailable, and the jobs.

import { api } from "../../api/client.ts";
import type { Reply } from "../../api/failure.ts";
import type { Body } from "../../api/types.ts";
import { useRequest } from "../../api/use-request.ts";
import { Badge, type Tone } from "../../components/badge.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Section } from "../../components/page.tsx";
import { Loaded } from "../../components/states.tsx";
import { milliseconds } from "../../format/words.ts";
import { can, session } from "../../session/session.ts";
import { JobList } from "./job-list.tsx";

type Readiness = Body<"/health/ready">;

const SECONDS = 30;

export function System() {
  const request = useRequest<Readiness>(
    "ready",
    async (options) => readinessOf(await api.GET("/health/ready", { ...options })),
    SECONDS,
  );
  // Jobs concern all domains.
  const showsJobs = can("admin") && session.value?.domains === null;
  return (
    <>
      <Section title="Dependencies">
        <Loaded request={request} name="the dependencies" lines={10}>
          {(data) => <Dependencies readiness={data} />}
        </Loaded>
      </Section>
      {showsJobs && <JobList isShown={request.state.value.status !== "loading"} />}
    </>
  );
}

/** Status 503 has the same body: it says which dependencies are unavailable. */
function readinessOf(reply: Reply<Readiness>): Reply<Readiness> {
  const { error } = reply;
  const isReadiness = typeof error === "object" && error !== null && "dependencies" in error && "mode" in error;
  return isReadiness ? { data: error as Readiness, response: new Response() } : reply;
}

const STATES: Readonly<Record<Readiness["status"], readonly [tone: Tone, text: string]>> = {
  ready: ["good", "Everything works."],
  degraded: ["warn", "Answers work, with limits."],
  unavailable: ["bad", "No search works: there are no answers."],
};

type Role = keyof Readiness["dependencies"];

const ROLES: Readonly<Record<Role, readonly [name: string, effect: string]>> = {
  database: ["Database", "Lists and records cannot be shown. Answers and votes are stored when it is back."],
  vector_store: ["Vector store", "Answers find texts by keywords alone. The index catches up by itself."],
  embedder: ["Embedder", "Answers find texts by keywords alone. The index catches up by itself."],
};

function Dependencies({ readiness }: { readonly readiness: Readiness }) {
  const { status, dependencies, mode, model, mode_reason, reranker, version } = readiness;
  const [tone, text] = STATES[status];
  return (
    <>
      <p>
        <Badge tone={tone}>{status}</Badge> {text}
      </p>
      <ul class="list quality-dependencies">
        {(Object.keys(ROLES) as Role[]).map((role) => {
          const { vendor, status: state, latency_ms, version: vendorVersion, reason } = dependencies[role];
          const [name, effect] = ROLES[role];
          return (
            <li key={role} class="card">
              <div class="line">
                <h3>{name}</h3>
                <Badge tone={state === "ok" ? "good" : "bad"}>{state === "ok" ? "ok" : (reason ?? state)}</Badge>
              </div>
              <p class="note">
                {vendor}
                {vendorVersion !== null && ` ${vendorVersion}`} · {milliseconds(latency_ms)}
              </p>
              {state !== "ok" && <p>{effect}</p>}
            </li>
          );
        })}
      </ul>
      <Facts>
        <Fact name="Answers">
          {mode === "extractive" ? "Quote recalled texts." : `Written by ${model?.answer ?? "a model"}.`} {mode_reason}
        </Fact>
        <Fact name="Reranker">{reranker ?? "None."}</Fact>
        <Fact name="Version">{version}</Fact>
      </Facts>
    </>
  );
}
