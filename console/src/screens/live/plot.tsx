// Lines over time, drawn by uPlot on a canvas, with a sentence for those who do not see it.
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

interface Line {
  readonly title: string;
  /** The name of a color variable. */
  readonly color: string;
  readonly values: readonly (number | null)[];
}

interface PlotProps {
  readonly title: string;
  /** What the plot says, in words. */
  readonly summary: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
}

const HEIGHT = 180;
const AXIS_FONT = '11px system-ui, sans-serif';

export function Plot({ title, summary, times, lines }: PlotProps) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const data: uPlot.AlignedData = [[...times], ...lines.map(({ values }) => [...values])];
  useEffect(() => {
    const { current } = frame;
    if (current === null) return undefined;
    const made = new uPlot(optionsOf(current, lines), data, current);
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: current.clientWidth, height: HEIGHT }));
    resized.observe(current);
    return () => {
      resized.disconnect();
      made.destroy();
    };
    // Colors are those of the scheme at the time; a new span makes a new plot.
  }, [times.length]);
  useEffect(() => plot.current?.setData(data), [times, lines]);
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <div ref={frame} class="plot" aria-hidden="true" />
      <p class="plot-key">
        {lines.map((line) => (
          <span key={line.title}>
            <i class={`key${line.color}`} /> {line.title}
          </span>
        ))}
      </p>
      <p class="quiet">{summary}</p>
    </section>
  );
}

function optionsOf(frame: HTMLElement, lines: readonly Line[]): uPlot.Options {
  const style = getComputedStyle(frame);
  const color = (name: string) => resolved(frame, style.getPropertyValue(name));
  const axis = {
    stroke: color('--quiet'),
    font: AXIS_FONT,
    grid: { stroke: color('--line'), width: 1 },
    ticks: { stroke: color('--line'), width: 1 },
  };
  return {
    width: Math.max(1, frame.clientWidth),
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    axes: [{ ...axis }, { ...axis, size: 46 }],
    scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
    series: [
      {},
      ...lines.map((line) => ({
        label: line.title,
        stroke: color(line.color),
        width: 1.5,
        points: { show: line.values.filter((value) => value !== null).length < 3, size: 4 },
      })),
    ],
  };
}

/** A canvas does not know light-dark(), so an element resolves the color. */
function resolved(frame: HTMLElement, value: string): string {
  const probe = document.createElement('span');
  probe.style.color = value;
  frame.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
