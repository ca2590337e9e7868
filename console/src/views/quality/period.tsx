// The period of the figures: chosen in a list, kept in the address.

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
  const days = usePeriod();
  return (
    <div class="quality-period">
      <SelectField
        label="Period"
        value={String(days)}
        names={Object.fromEntries(PERIODS.map((each) => [each, each === 365 ? "Last year" : `Last ${each} days`]))}
        set={(days) => route(`${path}?days=${days}`, true)}
      />
    </div>
  );
}
