// Building: records a second of processor time, at the build settings with which each engine searched fastest.
import { settingText } from '../engines/engine.ts';
import { type Built, bestAt, type Point } from '../engines/sweep.ts';
import { measureEngines } from './engines-measured.ts';
import { markdownTable, NONE, type Outcome, type Row, rounded } from './row.ts';
import type { Bench } from './scenario.ts';
import { isOurs, TARGETS } from './search.ts';

const TIMES = 2;

export async function build(bench: Bench): Promise<Outcome> {
  const { points, built, data, missing } = await measureEngines(bench);
  const rate = ({ cost }: Built) => data.records / cost.cpuSeconds;
  const rows = TARGETS.map(({ recall }): Row => {
    const winners = built.filter((one) => one === winnerOf(one, { built, points, recall }));
    const ours = winners.find(isOurs);
    const peer = winners.filter((one) => !isOurs(one)).reduce<Built | null>(faster(rate), null);
    const ratio = ours === undefined || peer === null ? null : rate(ours) / rate(peer);
    return {
      what: `build, records a second and core, at the settings that won at recall ${recall}`,
      goal: `>= ${TIMES} x best peer`,
      ours: ours === undefined ? 'not reached' : `${rounded(rate(ours))}/s`,
      peer: peer === null ? NONE : `${peer.variant.engine.name} ${rounded(rate(peer))}/s`,
      ratio,
      met: ours !== undefined && (ratio === null || ratio >= TIMES),
      lost: peer !== null && (ratio === null || ratio < 1),
    };
  });
  const table = markdownTable(
    ['engine', 'build', 'seconds', 'processor seconds', 'records a second and core'],
    built.map((one) => [
      one.variant.engine.name,
      settingText(one.variant.build) || 'default',
      one.cost.seconds.toFixed(1),
      one.cost.cpuSeconds.toFixed(1),
      rounded(rate(one)),
    ]),
  );
  return { rows, missing, details: `### Builds\n\n${table}` };
}

/** The variant of the same engine that searched fastest with enough recall. */
function winnerOf(
  { variant }: Built,
  all: { readonly built: readonly Built[]; readonly points: readonly Point[]; readonly recall: number },
): Built | undefined {
  const points = all.points.filter((point) => point.variant.engine === variant.engine);
  const best = bestAt(points, all.recall);
  return all.built.find((one) => one.variant === best?.variant);
}

function faster(rate: (one: Built) => number): (best: Built | null, one: Built) => Built {
  return (best, one) => (best === null || rate(one) > rate(best) ? one : best);
}
