// Search over the network with 16 clients, and with filters with one, beside Chroma's server and pgvector over PostgreSQL's
// own protocol. Each server is loaded and tried by itself; then all are up, and the best take turns.
import { type DataSet, openDataSet } from '../data/data-sets.ts';
import { exactTruth, type Truth } from '../data/truth.ts';
import { OURS } from '../engines/index.ts';
import { Fleet, type Loaded } from '../servers/fleet.ts';
import { SERVER_NAMES } from '../servers/index.ts';
import { contenders, mostFound } from '../support/contenders.ts';
import { progress, stage } from '../support/progress.ts';
import { sizeText } from './engines-measured.ts';
import {
  FILTERS,
  filterContests,
  filterContestsTable,
  filteredRows,
  filteredTable,
} from './filter-contests.ts';
import { httpRows, servedContestTable, servedPointsTable } from './http-rows.ts';
import { markdownTable, type Outcome } from './row.ts';
import type { Bench } from './scenario.ts';
import { servedContest } from './served-contest.ts';
import { type ServedPoint, servedPoints } from './served-points.ts';

const CLIENTS = 16;
/** Filters times settings are many. */
const FILTER_SECONDS_MAX = 1.5;
const FILTER_ROUNDS = 2;
const FILTER_SLICE_SECONDS_MAX = 1;

interface Served {
  readonly name: string;
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
  const fleet = new Fleet(data);
  const served: Served[] = [];
  const missing: string[] = [];
  try {
    for (const name of SERVER_NAMES) {
      const sweep = async () => sweepServer(await fleet.get(name), bench, { data, truth });
      const measureIt = () => stage(`${name} over the network`, sweep);
      try {
        served.push(await cells.take(`served ${data.name} ${data.records} ${name}`, measureIt));
      } catch (error) {
        if (name === OURS) throw error;
        missing.push(`${name}: ${error instanceof Error ? error.message : error}`);
      }
    }
    const contests = await stage('servers by turns', () => byTurns(served, bench, { data, fleet }));
    return { rows: contests.rows, missing, details: `${loadsText(served)}\n\n${contests.details}` };
  } finally {
    await fleet.stop();
  }
}

async function sweepServer(
  { server, cost }: Loaded,
  { plan }: Bench,
  asked: { readonly data: DataSet; readonly truth: Truth },
): Promise<Served> {
  progress(`searching ${server.name} with ${CLIENTS} clients`);
  const { name, version, searches, filterSearches } = server;
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
  return { name, version, ...cost, points, filtered };
}

async function byTurns(
  served: readonly Served[],
  { plan, cells }: Bench,
  { data, fleet }: { readonly data: DataSet; readonly fleet: Fleet },
): Promise<Pick<Outcome, 'rows' | 'details'>> {
  const all = served.flatMap(({ points }) => points);
  const ours = all.find(({ name }) => name === OURS);
  if (ours === undefined) throw new Error('our own server was not measured');
  const turns = { fleet, data, cells, lanes: CLIENTS, rounds: plan.servedTurns };
  const options = { ...turns, sliceSeconds: plan.servedSliceSeconds };
  const contest = await servedContest(ours, rivalsOf(ours, all), options);
  const points = served.flatMap(({ filtered }) => filtered);
  const filterSeconds = Math.min(plan.servedSliceSeconds, FILTER_SLICE_SECONDS_MAX);
  const filterOptions = { ...options, lanes: 1, rounds: plan.servedFilterTurns, sliceSeconds: filterSeconds };
  const filters = await filterContests(points, (one, others) => servedContest(one, others, filterOptions));
  const size = sizeText(data);
  const details = [
    `### Search over the network, ${size}, ${CLIENTS} clients`,
    servedPointsTable(all),
    `### The same by turns`,
    servedContestTable(contest),
    `### Filtered search over the network, ${size}, one client`,
    filteredTable(points),
    '### The same by turns',
    filterContestsTable(filters),
  ];
  const rows = [
    ...httpRows(contest, `through HTTP, ${size}, ${CLIENTS} clients`),
    ...filteredRows(filters, `filtered search over the network, ${size}, 1 client`),
  ];
  return { rows, details: details.join('\n\n') };
}

/** Peers' points that find as much as ours and may be the fastest, or the steadiest; of peers that find less, what they find most with. */
function rivalsOf(ours: ServedPoint, points: readonly ServedPoint[]): readonly ServedPoint[] {
  const peers = points.filter(({ name }) => name !== OURS);
  const kindOf = ({ name }: ServedPoint) => name;
  const enough = peers.filter(({ recall }) => recall >= ours.recall);
  const steadiest = enough.toSorted((a, b) => a.p99Ms - b.p99Ms).slice(0, 1);
  const fast = contenders(enough, { recall: ours.recall, kindOf, speedOf: ({ qps }) => qps });
  const others = SERVER_NAMES.filter((name) => enough.every((point) => point.name !== name));
  const most = others.flatMap((name) => mostFound(peers.filter((point) => point.name === name)) ?? []);
  return [...new Set([...fast, ...steadiest, ...most])];
}

function loadsText(served: readonly Served[]): string {
  const loads = served.map(({ name, version, seconds, indexedSeconds }) => [
    name,
    version,
    seconds.toFixed(0),
    indexedSeconds.toFixed(0),
  ]);
  return `### Servers\n\n${markdownTable(['server', 'version', 'loaded in s', 'indexed in s'], loads)}`;
}
