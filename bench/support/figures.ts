// Percentiles, the machine's description and the table a benchmark prints.
import { cpus, totalmem } from 'node:os';

/** The value below which a share of `values` lies; 0.5 is the median. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export interface Figure {
  readonly what: string;
  /** Null for what is only reported. */
  readonly goal: string | null;
  readonly measured: string;
  /** Of no meaning without a goal. */
  readonly met: boolean;
}

export function machine(): string {
  const [first] = cpus();
  const memory = (totalmem() / 2 ** 30).toFixed(0);
  return `${cpus().length} x ${first?.model ?? 'unknown processor'}, ${memory} GiB, Node ${process.versions.node}`;
}

export function table(figures: readonly Figure[]): string {
  const rows = figures.map(({ what, goal, measured, met }) => {
    const verdict = met ? 'yes' : '**no**';
    return `| ${what} | ${goal ?? '-'} | ${measured} | ${goal === null ? '-' : verdict} |`;
  });
  return ['| what | goal | measured | met |', '|---|---|---|---|', ...rows].join('\n');
}
