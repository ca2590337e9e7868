// The period of the figures, chosen in a list and kept in the address; and figures with what they mean.

import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso/router";
import { SelectField } from "../../components/field.tsx";

const PERIODS = [7, 30, 90, 365] as const;
const DEFAULT_DAYS = 30;

/** In days, from the address. */
export function usePeriod(): number {
  const days = Number(useLocation().query.days);
  return PERIODS.find((period) => period === days) ?? DEFAULT_DAYS;
}

export function PeriodField() {
  const { path, route } = useLocation();
  return (
    <div class="quality-period">
      <SelectField
        label="Period"
        value={String(usePeriod())}
        names={Object.fromEntries(PERIODS.map((each) => [each, each === 365 ? "Last year" : `Last ${each} days`]))}
        set={(days) => route(`${path}?days=${days}`, true)}
      />
    </div>
  );
}

interface Figure {
  readonly name: string;
  readonly value: ComponentChildren;
  /** What it means, in a few words. */
  readonly note?: string;
}

export function Figures({ figures }: { readonly figures: readonly Figure[] }) {
  return (
    <dl class="quality-figures">
      {figures.map(({ name, value, note }) => (
        <div key={name} class="card quality-figure">
          <dt class="note">{name}</dt>
          <dd class="quality-value">{value}</dd>
          {note !== undefined && <dd class="note">{note}</dd>}
        </div>
      ))}
    </dl>
  );
}
