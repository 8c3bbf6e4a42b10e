// Search through HTTP with 16 clients, beside Chroma's server and pgvector over PostgreSQL's own protocol.
import { openDataSet } from '../data/data-sets.ts';
import { exactTruth } from '../data/truth.ts';
import { settingText } from '../engines/sweep.ts';
import type { Plan } from '../plan.ts';
import { startServers } from '../servers/index.ts';
import { progress } from '../support/progress.ts';
import { markdownTable, NONE, type Outcome, type Row, rounded } from './row.ts';
import { bestServed, type ServedPoint, servedPoints } from './served-points.ts';

const CLIENTS = 16;
const QPS_TIMES = 3;
const P99_SHARE = 0.5;

export async function httpSearch(plan: Plan): Promise<Outcome> {
  const data = await openDataSet(plan.data, { ...plan, records: plan.servedRecords });
  const truth = await exactTruth(data);
  const { servers, missing, stop } = await startServers(['Pinyon', 'pgvector', 'Chroma'], data);
  try {
    const loads: string[][] = [];
    for (const server of servers) {
      progress(`loading ${rounded(data.records)} records into ${server.name}`);
      const { seconds, indexedSeconds } = await server.load(data);
      loads.push([server.name, server.version, seconds.toFixed(0), indexedSeconds.toFixed(0)]);
    }
    progress('searching with 16 clients');
    const points = await servedPoints(servers, { plan, data, truth, lanes: CLIENTS, passing: [null] });
    const [ourServer] = servers;
    const ours = points.find(({ server }) => server === ourServer);
    const peers = servers.slice(1).flatMap((server) => {
      const own = points.filter((point) => point.server === server);
      return bestServed(own, ours?.recall ?? 0) ?? [];
    });
    const details = [
      '### Search over the network',
      markdownTable(['server', 'version', 'loaded in s', 'indexed in s'], loads),
      pointsTable(points),
    ].join('\n\n');
    return { rows: ours === undefined ? [] : rowsOf(ours, peers, data.records), missing, details };
  } finally {
    await stop();
  }
}

function rowsOf(ours: ServedPoint, peers: readonly ServedPoint[], records: number): readonly Row[] {
  const fastest = peers.reduce<ServedPoint | null>(
    (best, one) => (best && best.qps > one.qps ? best : one),
    null,
  );
  const steadiest = peers.reduce<ServedPoint | null>(
    (best, one) => (best && best.p99Ms < one.p99Ms ? best : one),
    null,
  );
  const what = `through HTTP, ${rounded(records)} records, ${CLIENTS} clients`;
  const qpsRatio = fastest === null ? null : ours.qps / fastest.qps;
  const p99Ratio = steadiest === null ? null : steadiest.p99Ms / ours.p99Ms;
  return [
    {
      what: `search ${what}, queries a second`,
      goal: `>= ${QPS_TIMES} x best peer at equal or higher recall`,
      ours: `${rounded(ours.qps)}/s @ ${ours.recall.toFixed(4)}`,
      peer:
        fastest === null
          ? NONE
          : `${fastest.server.name} ${rounded(fastest.qps)}/s @ ${fastest.recall.toFixed(4)}`,
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
          : `${steadiest.server.name} ${steadiest.p99Ms.toFixed(1)} ms (p50 ${steadiest.p50Ms.toFixed(1)})`,
      ratio: p99Ratio,
      met: p99Ratio !== null && p99Ratio >= 1 / P99_SHARE,
      lost: p99Ratio !== null && p99Ratio < 1,
    },
  ];
}

export function pointsTable(points: readonly ServedPoint[]): string {
  return markdownTable(
    ['server', 'search', 'recall@10', 'QPS', 'p50 ms', 'p99 ms'],
    points.map(({ server, search, recall, qps, p50Ms, p99Ms }) => [
      server.name,
      settingText(search) || 'default',
      recall.toFixed(4),
      rounded(qps),
      p50Ms.toFixed(2),
      p99Ms.toFixed(2),
    ]),
  );
}
