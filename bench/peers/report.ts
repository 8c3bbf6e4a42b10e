// The report as Markdown: the table, what could not take part, and every point behind it.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { machine } from '../support/figures.ts';
import { availableEngines, versionOfPeer } from './engines/index.ts';
import type { Plan } from './plan.ts';
import { markdownTable, type Outcome, type Row, rowsTable } from './scenarios/row.ts';
import { stageSeconds } from './support/progress.ts';

const PAGE = fileURLToPath(new URL('../../docs/benchmarks.md', import.meta.url));
const MARKERS = { begin: '<!-- peers: begin -->', end: '<!-- peers: end -->' };

/** What the ratios are. */
const TURNS_TEXT =
  "Ratios of speed are medians of the ratios of single rounds, with their quartiles. In a round, each engine is measured for a moment in turn, so that a drift of the machine's speed affects all of them. Ours runs at the least effort that reaches the recall; of the peers, the one with the smallest ratio counts.";

export function report(
  outcomes: readonly Outcome[],
  { plan, failed }: { readonly plan: Plan; readonly failed: readonly string[] },
): string {
  const rows = outcomes.flatMap((outcome) => outcome.rows);
  const missing = [...new Set(outcomes.flatMap((outcome) => outcome.missing))];
  const details = [...new Set(outcomes.map((outcome) => outcome.details))].filter((text) => text !== '');
  const date = new Date().toISOString().slice(0, 10);
  return [
    `\`npm run bench:peers\` (${plan.name}), ${date}, ${machine()}. Peers: ${peersText(plan)}.`,
    ...(plan.reuse
      ? ['Indexes of peers, and what they cost, may come from an earlier run on this machine.']
      : []),
    ...(plan.reuseOurs ? ['So may our own.'] : []),
    TURNS_TEXT,
    rowsTable(rows),
    lostText(rows),
    ...(missing.length > 0 ? [`SKIPPED: ${missing.join('; ')}.`] : []),
    ...(failed.length > 0 ? [`**Not measured, because they failed:** ${failed.join('; ')}.`] : []),
    `<details><summary>All settings measured</summary>\n\n${[...details, stagesText()].join('\n\n')}\n\n</details>`,
  ].join('\n\n');
}

/** The peers inside a process, with their releases. */
export function peersText({ engines }: Plan): string {
  return availableEngines(engines)
    .flatMap(({ name, peer }) => (peer === null ? [] : [`${name} ${versionOfPeer(peer)}`]))
    .join(', ');
}

function stagesText(): string {
  const lines = stageSeconds().map(([name, seconds]) => [name, seconds.toFixed(0)]);
  return `### Where the time went\n\nSome stages contain others.\n\n${markdownTable(['stage', 'seconds'], lines)}`;
}

/** Where we lose, as plainly as where we win. */
function lostText(rows: readonly Row[]): string {
  const lost = rows.filter(({ lost }) => lost).map(({ what, peer }) => `${what} (${peer})`);
  const missed = rows.filter(({ met }) => !met).map(({ what }) => what);
  return [
    lost.length === 0 ? 'No peer is ahead in any row.' : `**A peer is ahead in:** ${lost.join('; ')}.`,
    missed.length === 0 ? 'All goals are met.' : `**Goals missed:** ${missed.join('; ')}.`,
  ].join(' ');
}

/** Puts the report into docs/benchmarks.md, between the markers. @throws when they are not there */
export function writeReport(text: string): void {
  const page = readFileSync(PAGE, 'utf8');
  const begin = page.indexOf(MARKERS.begin);
  const end = page.indexOf(MARKERS.end);
  if (begin < 0 || end < begin) throw new Error(`${PAGE} has no ${MARKERS.begin} and ${MARKERS.end}`);
  const before = page.slice(0, begin + MARKERS.begin.length);
  writeFileSync(PAGE, `${before}\n\n${text}\n\n${page.slice(end)}`);
}
