// The rows and tables of search over the network.
import { settingText } from '../engines/engine.ts';
import { timesText } from '../support/spread.ts';
import { strongest } from '../support/standing.ts';
import { markdownTable, NONE, type Row, rounded } from './row.ts';
import type { ServedContest, ServedStanding } from './served-contest.ts';
import type { ServedPoint } from './served-points.ts';

const QPS_TIMES = 3;
const P99_SHARE = 0.5;

export function httpRows({ ours, others }: ServedContest, what: string): readonly Row[] {
  const fastest = strongest(others, ({ ratio }) => ratio);
  const steadiest = strongest(others, ({ p99Ratio }) => p99Ratio);
  const qpsRatio = fastest?.ratio ?? null;
  const p99Ratio = steadiest?.p99Ratio ?? null;
  return [
    {
      what: `search ${what}, queries a second`,
      goal: `>= ${QPS_TIMES} x best peer at equal or higher recall`,
      ours: speedText(ours),
      peer: fastest === null ? NONE : `${fastest.point.name} ${speedText(fastest)}`,
      ratio: qpsRatio,
      met: qpsRatio !== null && qpsRatio.median >= QPS_TIMES,
      lost: qpsRatio !== null && qpsRatio.median < 1,
    },
    {
      what: `search ${what}, p99`,
      goal: '<= half the best peer',
      ours: waitText(ours),
      peer: steadiest === null ? NONE : `${steadiest.point.name} ${waitText(steadiest)}`,
      ratio: p99Ratio,
      met: p99Ratio !== null && p99Ratio.median >= 1 / P99_SHARE,
      lost: p99Ratio !== null && p99Ratio.median < 1,
    },
  ];
}

function speedText({ point, qps }: ServedStanding): string {
  const { recall, search } = point;
  return `${rounded(qps.median)}/s @ ${recall.toFixed(4)} (${settingText(search) || 'default'})`;
}

function waitText({ p50Ms, p99Ms }: ServedStanding): string {
  return `${p99Ms.median.toFixed(1)} ms (p50 ${p50Ms.median.toFixed(1)})`;
}

export function servedContestTable({ ours, others }: ServedContest): string {
  return markdownTable(
    ['server', 'search', 'recall@10', 'QPS', 'p50 ms', 'p99 ms', 'ours to this', 'its p99 to ours'],
    [ours, ...others].map(({ point, qps, p50Ms, p99Ms, ratio, p99Ratio }) => [
      point.name,
      settingText(point.search) || 'default',
      point.recall.toFixed(4),
      rounded(qps.median),
      p50Ms.median.toFixed(2),
      p99Ms.median.toFixed(2),
      point === ours.point ? NONE : timesText(ratio),
      point === ours.point ? NONE : timesText(p99Ratio),
    ]),
  );
}

/** All points of the sweep. */
export function servedPointsTable(points: readonly ServedPoint[]): string {
  return markdownTable(
    ['server', 'search', 'recall@10', 'QPS', 'p50 ms', 'p99 ms'],
    points.map(({ name, search, recall, qps, p50Ms, p99Ms }) => [
      name,
      settingText(search) || 'default',
      recall.toFixed(4),
      rounded(qps),
      p50Ms.toFixed(2),
      p99Ms.toFixed(2),
    ]),
  );
}
