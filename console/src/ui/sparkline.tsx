// A vector as a picture: one bar for each component, or for each run of them where there are many.

const WIDTH = 320;
const HEIGHT = 48;
const BARS_MAX = 160;

export function Sparkline({ values }: { readonly values: readonly number[] }) {
  const bars = Math.min(BARS_MAX, values.length);
  if (bars === 0) return null;
  const runs = Array.from({ length: bars }, (_, at) => {
    const run = values.slice(
      Math.floor((at * values.length) / bars),
      Math.floor(((at + 1) * values.length) / bars),
    );
    return run.reduce((peak, value) => (Math.abs(value) > Math.abs(peak) ? value : peak), 0);
  });
  const largest = Math.max(...runs.map(Math.abs)) || 1;
  const middle = HEIGHT / 2;
  const path = runs
    .map((value, at) => {
      const x = ((at + 0.5) * WIDTH) / bars;
      return `M${x.toFixed(1)} ${middle}V${(middle - (value / largest) * (middle - 1)).toFixed(1)}`;
    })
    .join('');
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`A vector of ${values.length} components, from ${Math.min(...values).toPrecision(3)} to ${Math.max(...values).toPrecision(3)}`}
    >
      <path d={`M0 ${middle}H${WIDTH}`} class="axis" />
      <path d={path} stroke-width={(WIDTH / bars) * 0.7} />
    </svg>
  );
}
