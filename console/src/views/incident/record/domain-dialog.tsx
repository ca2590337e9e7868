// Corrects the domain of the incident.

import { useSignal } from "@preact/signals";
import { displayText } from "../../../../../lib/text/display-text.ts";
import { api } from "../../../api/client.ts";
import { useRequest } from "../../../api/use-request.ts";
import { Field } from "../../../components/field.tsx";
import { Loaded } from "../../../components/loaded.tsx";
import { type ActionDialogProps, FormDialog } from "./form-dialog.tsx";
import type { IncidentDetail } from "./model/incident.ts";
import { send } from "./send.ts";

const MAX_DOMAINS = 100;

export function DomainDialog({ incident, reload, close }: ActionDialogProps & { readonly incident: IncidentDetail }) {
  const { name, rule } = incident.domain;
  const domain = useSignal(name);
  const error = useSignal<string | undefined>(undefined);
  const domains = useRequest("domains", (options) =>
    api.GET("/v1/domains", { params: { query: { limit: MAX_DOMAINS } }, ...options }),
  );
  const submit = async () => {
    error.value = domain.value === name ? "The incident is in this domain. Choose another one." : undefined;
    if (error.value !== undefined) return "invalid";
    const body = { domain: domain.value };
    const request = api.PATCH("/v1/incidents/{id}", { params: { path: { id: incident.id } }, body });
    return send(request, { done: `Moved to the domain ${domain.value}.`, reload });
  };
  return (
    <FormDialog title="Correct the domain" action="Correct" close={close} submit={submit}>
      <p>
        Now <strong>{displayText(name)}</strong>, by {displayText(rule)}.
      </p>
      <Loaded request={domains} name="the domains" lines={2}>
        {(list) => (
          <Field label="The right domain" hint="The memory of the incident moves with it." error={error.value}>
            <select
              value={domain.value}
              onChange={(event) => {
                domain.value = event.currentTarget.value;
              }}
            >
              {list.domains.map((each) => (
                <option key={each.name} value={each.name}>
                  {each.name}
                </option>
              ))}
            </select>
          </Field>
        )}
      </Loaded>
    </FormDialog>
  );
}
