// Search over the network with 16 clients, and with filters with one, beside Chroma's server and pgvector over PostgreSQL's
// own protocol. One server at a time, so that none has memory or processors to share with another.
import { type DataSet, openDataSet } from '../data/data-sets.ts';
import { exactTruth, type Truth } from '../data/truth.ts';
import { settingText } from '../engines/engine.ts';
import { OURS } from '../engines/index.ts';
import { type ServerName, startServer } from '../servers/index.ts';
import { progress, stage } from '../support/progress.ts';
import { FILTERS, filteredRows, filteredTable } from './filtered.ts';
import { markdownTable, NONE, type Outcome, type Row, rounded } from './row.ts';
import type { Bench } from './scenario.ts';
import { bestServed, type ServedPoint, servedPoints } from './served-points.ts';

const CLIENTS = 16;
const QPS_TIMES = 3;
const P99_SHARE = 0.5;
/** Filters times settings are many. */
const FILTER_SECONDS_MAX = 1.5;
const FILTER_ROUNDS = 2;
const NAMES: readonly ServerName[] = ['Pinyon', 'pgvector', 'Chroma'];

interface Served {
  readonly version: string;
  readonly seconds: number;
  readonly indexedSeconds: number;
  readonly points: readonly ServedPoint[];
  readonly filtered: readonly ServedPoint[];
}

export async function httpSearch(bench: Bench): Promise<Outcome> {
  const { plan, cells } = bench;
  const data = await openDataSet(plan.data, { ...plan, records: plan.servedRecords });
  const truth = await exactTruth(data);
  const served: Served[] = [];
  const missing: string[] = [];
  for (const name of NAMES) {
    try {
      const measureIt = () => stage(`${name} over the network`, () => measure(name, bench, { data, truth }));
      served.push(await cells.take(`served ${data.name} ${data.records} ${name}`, measureIt));
    } catch (error) {
      if (name === OURS) throw error;
      missing.push(`${name}: ${error instanceof Error ? error.message : error}`);
    }
  }
  const points = served.flatMap((one) => one.points);
  const filtered = served.flatMap((one) => one.filtered);
  const loads = served.map(({ points, version, seconds, indexedSeconds }) => [
    points[0]?.name ?? NONE,
    version,
    seconds.toFixed(0),
    indexedSeconds.toFixed(0),
  ]);
  const details = [
    '### Search over the network',
    markdownTable(['server', 'version', 'loaded in s', 'indexed in s'], loads),
    pointsTable(points),
    '### Filtered search over the network, one client',
    filteredTable(filtered),
  ].join('\n\n');
  const what = `filtered search over the network, ${rounded(data.records)} records, 1 client`;
  return {
    rows: [...rowsOf(points, data.records), ...filteredRows(filtered, what)],
    missing,
    details,
  };
}

async function measure(
  name: ServerName,
  { plan }: Bench,
  asked: { readonly data: DataSet; readonly truth: Truth },
): Promise<Served> {
  const server = await startServer(name, asked.data);
  try {
    progress(`loading ${rounded(asked.data.records)} records into ${name}`);
    const cost = await server.load(asked.data);
    progress(`searching ${name} with ${CLIENTS} clients`);
    const { searches, filterSearches } = server;
    const points = await servedPoints(server, {
      ...plan,
      ...asked,
      searches,
      lanes: CLIENTS,
      passing: [null],
    });
    const filtered = await servedPoints(server, {
      ...asked,
      rounds: Math.min(plan.rounds, FILTER_ROUNDS),
      loadSeconds: Math.min(plan.loadSeconds, FILTER_SECONDS_MAX),
      searches: filterSearches,
      lanes: 1,
      passing: FILTERS,
    });
    return { version: server.version, ...cost, points, filtered };
  } finally {
    await server.stop();
  }
}

function rowsOf(points: readonly ServedPoint[], records: number): readonly Row[] {
  const ours = points.find(({ name }) => name === OURS);
  if (ours === undefined) return [];
  const peers = NAMES.filter((name) => name !== OURS).flatMap((name) => {
    const own = points.filter((point) => point.name === name);
    return bestServed(own, ours.recall) ?? [];
  });
  const fastest = peers.toSorted((a, b) => b.qps - a.qps)[0] ?? null;
  const steadiest = peers.toSorted((a, b) => a.p99Ms - b.p99Ms)[0] ?? null;
  const what = `through HTTP, ${rounded(records)} records, ${CLIENTS} clients`;
  const qpsRatio = fastest === null ? null : ours.qps / fastest.qps;
  const p99Ratio = steadiest === null ? null : steadiest.p99Ms / ours.p99Ms;
  return [
    {
      what: `search ${what}, queries a second`,
      goal: `>= ${QPS_TIMES} x best peer at equal or higher recall`,
      ours: `${rounded(ours.qps)}/s @ ${ours.recall.toFixed(4)}`,
      peer:
        fastest === null ? NONE : `${fastest.name} ${rounded(fastest.qps)}/s @ ${fastest.recall.toFixed(4)}`,
      ratio: qpsRatio,
      met: qpsRatio !== null && qpsRatio >= QPS_TIMES,
      lost: qpsRatio !== null && qpsRatio < 1,
    },
    {
      what: `search ${what}, p99`,
      goal: '<= half the best peer',
      ours: `${ours.p99Ms.toFixed(1)} ms (p50 ${ours.p50Ms.toFixed(1)})`,
      peer:
        steadiest === null
          ? NONE
          : `${steadiest.name} ${steadiest.p99Ms.toFixed(1)} ms (p50 ${steadiest.p50Ms.toFixed(1)})`,
      ratio: p99Ratio,
      met: p99Ratio !== null && p99Ratio >= 1 / P99_SHARE,
      lost: p99Ratio !== null && p99Ratio < 1,
    },
  ];
}

function pointsTable(points: readonly ServedPoint[]): string {
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
