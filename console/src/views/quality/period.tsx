// The period of the figures: chosen in a list, kept in the address.

import { useLocation } from "preact-iso/router";
import { Field } from "../../components/field.tsx";

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
      <Field label="Period">
        <select value={days} onChange={({ currentTarget }) => route(`${path}?days=${currentTarget.value}`, true)}>
          {PERIODS.map((period) => (
            <option key={period} value={period}>
              {period === 365 ? "Last year" : `Last ${period} days`}
            </option>
          ))}
        </select>
      </Field>
    </div>
  );
}
