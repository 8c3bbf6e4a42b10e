// Building: records a second of processor time, at the build settings with which each engine searched fastest.
import { settingText } from '../engines/engine.ts';
import type { Built, Point } from '../engines/sweep.ts';
import { contenders } from '../support/contenders.ts';
import { spreadOf } from '../support/spread.ts';
import { measureEngines } from './engines-measured.ts';
import { markdownTable, NONE, type Outcome, type Row, rounded } from './row.ts';
import type { Bench } from './scenario.ts';
import { isOurs, type SearchContest, speedOf } from './search-contests.ts';

const TIMES = 2;

export async function build(bench: Bench): Promise<Outcome> {
  const { contests, points, built, data, size, missing } = await measureEngines(bench);
  const rate = ({ cost }: Built) => data.records / cost.cpuSeconds;
  const rows = contests
    .filter(({ memory }) => memory === 'lean')
    .map((contest): Row => {
      const { recall } = contest;
      const winners = built.filter((one) => isWinner(one, { points, contest }));
      const ours = winners.find(isOurs);
      const peer = winners.filter((one) => !isOurs(one)).reduce<Built | null>(faster(rate), null);
      const ratio = ours === undefined || peer === null ? null : rate(ours) / rate(peer);
      return {
        what: `build, ${size}, records per second and core, at the settings that won at recall ${recall}`,
        goal: `>= ${TIMES} x best peer`,
        ours: ours === undefined ? 'not reached' : `${rounded(rate(ours))}/s`,
        peer: peer === null ? NONE : `${peer.variant.engine.name} ${rounded(rate(peer))}/s`,
        ratio: ratio === null ? null : spreadOf([ratio]),
        met: ours !== undefined && (ratio === null || ratio >= TIMES),
        lost: peer !== null && (ratio === null || ratio < 1),
      };
    });
  const table = markdownTable(
    ['engine', 'build', 'seconds', 'processor seconds', 'records per second and core'],
    built.map((one) => [
      one.variant.engine.name,
      settingText(one.variant.build) || 'default',
      one.cost.seconds.toFixed(1),
      one.cost.cpuSeconds.toFixed(1),
      rounded(rate(one)),
    ]),
  );
  return { rows, missing, details: `### Builds, ${size}\n\n${table}` };
}

/** Is it the build of its engine that searched fastest with enough recall: by turns, or where it took no part, in the sweep? */
function isWinner(
  { variant }: Built,
  {
    points,
    contest: { recall, contest },
  }: { readonly points: readonly Point[]; readonly contest: SearchContest },
): boolean {
  const isSame = (point: Point) => point.variant.engine === variant.engine;
  const standings = contest === null ? [] : [contest.ours, ...contest.others];
  const [best] = standings
    .filter(({ point }) => isSame(point))
    .toSorted((a, b) => b.qps.median - a.qps.median);
  const [swept] = contenders(points.filter(isSame), { recall, kindOf: ({ variant }) => variant, speedOf });
  return (best?.point ?? swept)?.variant === variant;
}

function faster(rate: (one: Built) => number): (best: Built | null, one: Built) => Built {
  return (best, one) => (best === null || rate(one) > rate(best) ? one : best);
}
