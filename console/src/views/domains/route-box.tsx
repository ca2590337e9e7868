// Shows the domain and the type that a text would get, and the rules that decide. Nothing is stored.

import { useSignal } from "@preact/signals";
import type { paths } from "../../../../client/client.js";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { settle } from "../../api/failure.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { TextField } from "../../components/field.tsx";
import { Section } from "../../components/page.tsx";
import { FailedState } from "../../components/states.tsx";
import { bound, useSubmit } from "../../components/use-form.ts";
import { domainHref, parseLabels } from "./domain.ts";

type Routed = paths["/v1/domains/route"]["post"]["responses"]["200"]["content"]["application/json"];

export function RouteBox() {
  const text = useSignal("");
  const labels = useSignal("");
  const routed = useSignal<Routed | null>(null);
  const { submit, outcome } = useSubmit(async () => {
    const body = { text: text.value, labels: parseLabels(labels.value) };
    const result = await settle(api.POST("/v1/domains/route", { body }));
    routed.value = result.ok ? result.data : null;
    return result.ok ? null : result.failure;
  });
  return (
    <Section title="Where would this go?">
      <form class="card" onSubmit={submit}>
        <TextField
          label="Text of an alert, a question or a log"
          rows={3}
          required
          maxLength={100_000}
          placeholder="payments-api: declined by processor"
          {...bound(text)}
        />
        <TextField label="Labels" hint="Such as team=payments, env=prod. Optional." {...bound(labels)} />
        <div class="line">
          <Button type="submit" disabled={text.value.trim() === ""}>
            Show the domain
          </Button>
        </div>
        {outcome !== null && <FailedState failure={outcome} name="the domain" />}
        <div aria-live="polite">{routed.value !== null && <Route routed={routed.value} />}</div>
      </form>
    </Section>
  );
}

const DECIDERS: Readonly<Record<Routed["domain"]["decided_by"], string>> = {
  caller: "the caller",
  label: "a label",
  runbook: "the runbook that it names",
  words: "its words",
  model: "a language model",
  none: "nothing",
};

function Route({ routed: { title, domain, preferred, excluded, incident_type: type } }: { readonly routed: Routed }) {
  const others = preferred.filter(({ name }) => name !== domain.name);
  return (
    <Facts>
      <Fact name="Domain">
        <a href={domainHref(domain.name)}>{domain.name}</a> <Badge tone="info">{DECIDERS[domain.decided_by]}</Badge>
        <p class="note">{displayText(domain.rule)}</p>
      </Fact>
      <Fact name="Incident type">
        {type.name}
        <p class="note">{displayText(type.rule)}</p>
      </Fact>
      <Fact name="Search">
        {domain.limits_search
          ? `Only ${domain.name} and general, while they hold something relevant.`
          : domain.decided_by === "none"
            ? "Every domain counts the same."
            : `Every domain; ${domain.name} ranks higher.`}
        {others.length > 0 && <p class="note">Also preferred: {others.map(({ name }) => name).join(", ")}</p>}
        {excluded.length > 0 && <p class="note">Left out: {excluded.join(", ")}</p>}
      </Fact>
      <Fact name="Title">{displayText(title)}</Fact>
    </Facts>
  );
}
