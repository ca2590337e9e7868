// Deletes a source of evidence, after a dialog.

import { api } from "../../api/client.ts";
import { ConfirmedRemoval } from "../../components/confirmed-removal.tsx";

export function DeleteSource({ name, onDeleted }: { readonly name: string; readonly onDeleted: () => void }) {
  return (
    <ConfirmedRemoval
      verb="Delete"
      name={name}
      remove={() => api.DELETE("/v1/sources/{name}", { params: { path: { name } } })}
      done={`The source ${name} is deleted.`}
      onDone={onDeleted}
    >
      <p>The next triage no longer asks it. Results in answers stay, and the secret stays in the Worker.</p>
    </ConfirmedRemoval>
  );
}
