// Search in one thread: how many queries a second of processor time at each recall@10 aimed at, against the best peer.

import type { EngineStanding } from '../engines/contest.ts';
import { settingText } from '../engines/engine.ts';
import type { Spread } from '../support/spread.ts';
import { strongest } from '../support/standing.ts';
import { measureEngines, pointsTable } from './engines-measured.ts';
import { NONE, type Outcome, type Row, rounded } from './row.ts';
import type { Bench } from './scenario.ts';
import { contestTable, type SearchContest } from './search-contests.ts';

export async function search(bench: Bench): Promise<Outcome> {
  const { points, contests, missing, size } = await measureEngines(bench);
  const tables = contests.flatMap(({ memory, recall, contest }) =>
    contest === null
      ? []
      : [`### By turns, ${size}, recall >= ${recall}, ${CLASSES[memory]}`, contestTable(contest)],
  );
  const details = [`### Search settings, ${size}`, pointsTable(points), ...tables];
  return { rows: contests.map((one) => rowOf(one, size)), missing, details: details.join('\n\n') };
}

const CLASSES = { lean: 'peers of at most 1.25 x our memory', rich: 'peers of more memory' } as const;

function rowOf({ memory, recall, times, contest, peers }: SearchContest, size: string): Row {
  const best = contest === null ? null : strongest(contest.others, speedRatio);
  const ratio = best === null ? null : speedRatio(best);
  const fastest = peers[0];
  return {
    what: `search, 1 thread, ${size}, recall >= ${recall}, ${CLASSES[memory]}`,
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

/** By processor time: other work on the machine changes it little. */
function speedRatio({ ratio, cpuRatio }: EngineStanding): Spread {
  return cpuRatio ?? ratio;
}

/** Speed, recall and what was chosen for them. */
function standingText({ point, cpuQps }: EngineStanding): string {
  const chosen = [point.variant.build, point.search].map(settingText).filter(Boolean).join(' ');
  return `${rounded(cpuQps.median)}/s @ ${point.recall.toFixed(4)} (${chosen})`;
}
