// Filters, one at a time, engines or servers alike: our filtered search by turns against our own without a filter and
// against the peers with that filter.
import { SLICES } from '../data/data-sets.ts';
import { PASSING } from '../data/truth.ts';
import { type Setting, settingText } from '../engines/engine.ts';
import { OURS } from '../engines/index.ts';
import { contenders, leastEffort, mostFound } from '../support/contenders.ts';
import { timesText } from '../support/spread.ts';
import { type Contest, type Standing, strongest } from '../support/standing.ts';
import { markdownTable, NONE, type Row, rounded } from './row.ts';

const RECALL_MIN = 0.98;
const QPS_SHARE = 0.5;
/** Slices that pass; null for the search without a filter. */
export const FILTERS = PASSING.map((passing) => (passing === SLICES ? null : passing));

export interface FilteredPoint {
  readonly name: string;
  readonly search: Setting;
  readonly passing: number | null;
  readonly recall: number;
  readonly qps: number;
  /** Of processor time, where it was counted. */
  readonly cpuQps?: number;
}

export interface FilterContest {
  readonly passing: number;
  readonly ours: Standing<FilteredPoint>;
  /** Our search without a filter. */
  readonly unfiltered: Standing<FilteredPoint>;
  readonly peers: readonly Standing<FilteredPoint>[];
}

/** A contest for every filter, of points in the order of their effort. None where we take no part. */
export async function filterContests<Point extends FilteredPoint>(
  points: readonly Point[],
  race: (ours: Point, others: readonly Point[]) => Promise<Contest<Point>>,
): Promise<readonly FilterContest[]> {
  const own = points.filter(({ name }) => name === OURS);
  const plain = chosen(own.filter(({ passing }) => passing === null));
  const contests: FilterContest[] = [];
  for (const passing of FILTERS) {
    const ours = chosen(own.filter((point) => point.passing === passing));
    if (passing === null || ours === null || plain === null) continue;
    const rivals = points.filter((point) => point.name !== OURS && point.passing === passing);
    const contest = await race(ours, [plain, ...best(rivals)]);
    const [unfiltered, ...peers] = contest.others;
    if (unfiltered !== undefined) contests.push({ passing, ours: contest.ours, unfiltered, peers });
  }
  return contests;
}

/** Ours: the least effort that finds enough; otherwise the one that finds most. */
function chosen<Point extends FilteredPoint>(points: readonly Point[]): Point | null {
  return leastEffort(points, RECALL_MIN) ?? mostFound(points);
}

/** Peers' that may be the best; where none finds enough, the one that finds most. */
function best<Point extends FilteredPoint>(points: readonly Point[]): readonly Point[] {
  const enough = contenders(points, {
    recall: RECALL_MIN,
    kindOf: ({ name }) => name,
    speedOf: ({ qps, cpuQps = qps }) => cpuQps,
  });
  const most = mostFound(points);
  return enough.length > 0 || most === null ? enough : [most];
}

export function filteredRows(contests: readonly FilterContest[], what: string): readonly Row[] {
  return contests.map(({ passing, ours, unfiltered, peers }): Row => {
    const share = unfiltered.ratio;
    const peer = strongest(peers, ({ ratio }) => ratio);
    // Speed compares only where both find enough.
    const ratio = peer !== null && finds(ours) && finds(peer) ? peer.ratio : null;
    return {
      what: `${what}, ${percent(passing)} of the records match`,
      goal: `recall >= ${RECALL_MIN}, QPS >= ${QPS_SHARE} x unfiltered`,
      ours: `${standingText(ours)}, unfiltered ${standingText(unfiltered)}: ${timesText(share)}`,
      peer: peer === null ? NONE : `${peer.point.name} ${standingText(peer)}`,
      ratio,
      met: finds(ours) && share.median >= QPS_SHARE,
      lost: peer !== null && (ratio === null ? finds(peer) : ratio.median < 1),
    };
  });
}

function finds({ point }: Standing<FilteredPoint>): boolean {
  return point.recall >= RECALL_MIN;
}

function percent(passing: number | null): string {
  return `${(100 * (passing ?? SLICES)) / SLICES} %`;
}

function standingText({ point, qps }: Standing<FilteredPoint>): string {
  const { recall, search } = point;
  return `${rounded(qps.median)}/s @ ${recall.toFixed(4)} (${settingText(search) || 'default'})`;
}

/** Everybody in the contests. */
export function filterContestsTable(contests: readonly FilterContest[]): string {
  const line = (contest: FilterContest, { point, qps, ratio, cpuRatio }: Standing<FilteredPoint>) => [
    percent(contest.passing),
    point.name,
    settingText(point.search) || 'default',
    percent(point.passing),
    point.recall.toFixed(4),
    rounded(qps.median),
    point === contest.ours.point ? NONE : timesText(ratio),
    point === contest.ours.point || cpuRatio === null ? NONE : timesText(cpuRatio),
  ];
  return markdownTable(
    [
      'contest',
      'engine',
      'search',
      'records that match',
      'recall@10',
      'QPS',
      'ours to this',
      'of processor time',
    ],
    contests.flatMap((contest) =>
      [contest.ours, contest.unfiltered, ...contest.peers].map((one) => line(contest, one)),
    ),
  );
}

/** All points of the sweep. */
export function filteredTable(points: readonly FilteredPoint[]): string {
  return markdownTable(
    ['engine', 'search', 'records that match', 'recall@10', 'QPS'],
    points.map(({ name, search, passing, recall, qps }) => [
      name,
      settingText(search) || 'default',
      percent(passing),
      recall.toFixed(4),
      rounded(qps),
    ]),
  );
}
