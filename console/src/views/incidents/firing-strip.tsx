// When the alerts of an incident fired in the last 24 hours: a bar for each hour.

const HEIGHT = 16;
const WIDTH = 4;
const GAP = 1;

/** @param hours number of alerts that fired in each hour, oldest first */
export function FiringStrip({ hours }: { readonly hours: readonly number[] }) {
  const most = Math.max(1, ...hours);
  return (
    <svg
      class="incidents-strip"
      role="img"
      aria-label={describeHours(hours)}
      viewBox={`0 0 ${hours.length * (WIDTH + GAP) - GAP} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      <title>{describeHours(hours)}</title>
      {hours.map((count, hour) => {
        const height = count === 0 ? 2 : 4 + (count / most) * (HEIGHT - 4);
        return (
          <rect
            key={hour}
            class={count === 0 ? "incidents-hour" : "incidents-hour incidents-hour-firing"}
            x={hour * (WIDTH + GAP)}
            y={HEIGHT - height}
            width={WIDTH}
            height={height}
          />
        );
      })}
    </svg>
  );
}

/** Such as `Fired in 3 of the last 24 hours, last in this hour; at most 4 alerts at once.` */
export function describeHours(hours: readonly number[]): string {
  const firing = hours.filter((count) => count > 0).length;
  if (firing === 0) return "Did not fire in the last 24 hours.";
  const ago = hours.length - 1 - hours.findLastIndex((count) => count > 0);
  const last = ago === 0 ? "last in this hour" : `last ${ago} h ago`;
  const most = Math.max(...hours);
  return `Fired in ${firing} of the last ${hours.length} hours, ${last}; at most ${most} ${most === 1 ? "alert" : "alerts"} an hour.`;
}
