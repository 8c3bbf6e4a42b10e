// A row of the table: what is to be reached and what was.
import { type Spread, timesText } from '../support/spread.ts';

export interface Row {
  readonly what: string;
  readonly goal: string;
  readonly ours: string;
  /** The best peer and its figure; a dash where none takes part. */
  readonly peer: string;
  /** Ours to the peer's, the larger the better for us; null where none takes part. */
  readonly ratio: Spread | null;
  readonly met: boolean;
  /** A peer does better, or what ours does not reach. */
  readonly lost: boolean;
}

export interface Outcome {
  readonly rows: readonly Row[];
  /** Everything behind the rows, as Markdown. */
  readonly details: string;
  /** Peers that could not take part, with the reason. */
  readonly missing: readonly string[];
}

export const NONE = '—';

export function markdownTable(
  head: readonly string[],
  lines: readonly (readonly (string | number)[])[],
): string {
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export function rowsTable(rows: readonly Row[]): string {
  return markdownTable(
    ['what', 'goal', 'ours', 'best peer', 'ratio', 'met'],
    rows.map(({ what, goal, ours, peer, ratio, met }) => [
      what,
      goal,
      ours,
      peer,
      ratio === null ? NONE : timesText(ratio),
      met ? 'yes' : '**no**',
    ]),
  );
}

export function rounded(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3);
}
