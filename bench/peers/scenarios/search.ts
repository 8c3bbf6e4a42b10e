// Search in one thread: how many queries a second at recall@10 of 0.985 and 0.995, against the best peer.
import { settingText } from '../engines/engine.ts';
import type { Point } from '../engines/sweep.ts';
import { type Standing, strongest } from '../support/standing.ts';
import { measureEngines, pointsTable } from './engines-measured.ts';
import { NONE, type Outcome, type Row, rounded } from './row.ts';
import type { Bench } from './scenario.ts';
import { contestTable, type SearchContest } from './search-contests.ts';

export async function search(bench: Bench): Promise<Outcome> {
  const { points, contests, missing, size } = await measureEngines(bench);
  const tables = contests.flatMap(({ recall, contest }) =>
    contest === null ? [] : [`### By turns, ${size}, recall >= ${recall}`, contestTable(contest)],
  );
  const details = [`### Search settings, ${size}`, pointsTable(points), ...tables];
  return { rows: contests.map((one) => rowOf(one, size)), missing, details: details.join('\n\n') };
}

function rowOf({ recall, times, contest, peers }: SearchContest, size: string): Row {
  const best = contest === null ? null : strongest(contest.others, ({ ratio }) => ratio);
  const ratio = best?.ratio ?? null;
  const fastest = peers[0];
  return {
    what: `search, 1 thread, ${size}, recall >= ${recall}`,
    goal: `>= ${times} x best peer`,
    ours: contest === null ? 'not reached' : standingText(contest.ours),
    peer:
      best !== null
        ? `${best.point.variant.engine.name} ${standingText(best)}`
        : (fastest?.variant.engine.name ?? NONE),
    ratio,
    met: contest !== null && (ratio === null || ratio.median >= times),
    lost: contest === null ? fastest !== undefined : ratio !== null && ratio.median < 1,
  };
}

/** Speed, recall and what was chosen for them. */
function standingText({ point, qps }: Standing<Point>): string {
  const chosen = [point.variant.build, point.search].map(settingText).filter(Boolean).join(' ');
  return `${rounded(qps.median)}/s @ ${point.recall.toFixed(4)} (${chosen})`;
}
