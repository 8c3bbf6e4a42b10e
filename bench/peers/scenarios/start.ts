// Starting with a million indexed records: from the start command to the first answer, with the files in the page cache and
// without, by turns, and with memory that the host need not supply first.
import { existsSync } from 'node:fs';
import { processorSeconds, readFromDisk } from '../../support/process-load.ts';
import { familyMemory } from '../../support/process-memory.ts';
import { type DataSet, openDataSet } from '../data/data-sets.ts';
import { exactTruth, K, type Truth } from '../data/truth.ts';
import { servicePath, startPinyon } from '../servers/pinyon.ts';
import type { LoadCost } from '../servers/server.ts';
import { readJson, writeJson } from '../support/cache.ts';
import { takeMemoryFromHost } from '../support/memory-at-hand.ts';
import { dropFromPageCache, readIntoPageCache } from '../support/page-cache.ts';
import { progress, stage } from '../support/progress.ts';
import { spreadOf } from '../support/spread.ts';
import { sizeText } from './engines-measured.ts';
import { markdownTable, NONE, type Outcome, type Row, rounded } from './row.ts';
import type { Bench } from './scenario.ts';

const SECONDS_MAX = 3;
const RECALL_MIN = 0.98;
/** Enough to tell an index from its absence. */
const QUERIES = 100;
/** After the first answer nothing may be going on that looks like building an index, which takes both cores for minutes. Large pages take 2 s. */
const WATCHED_MS = 5_000;
const REBUILD_SECONDS_MAX = 4;
/** What the server comes to hold, and some more. */
const MEMORY_BYTES_A_RECORD = 1_600;
const FOLDER = 'start';
const MEBIBYTE = 2 ** 20;

/** What is made of the index's files before each start. */
const STATES = [
  { state: 'files in the page cache', prepare: readIntoPageCache },
  { state: 'files dropped from the page cache by posix_fadvise', prepare: dropFromPageCache },
] as const;

interface Started {
  readonly seconds: number;
  /** Until the first answer. */
  readonly readBytes: number;
  /** Of the first queries. */
  readonly recall: number;
  readonly heldBytes: number;
  /** Processor seconds after the first answer, while nothing was asked. */
  readonly busySeconds: number;
}

export async function start(bench: Bench): Promise<Outcome> {
  const { plan, cells } = bench;
  const data = await openDataSet(plan.data, { ...plan, queries: QUERIES, records: plan.startRecords });
  const truth = await exactTruth(data);
  const size = sizeText(data);
  const cost = await stage('loading before the starts', () => loadOnce(data, bench));
  const startsOf: Record<string, Started[]> = {};
  for (let round = 0; round < plan.starts; round++) {
    for (const { state, prepare } of STATES) {
      const started = await cells.take(`start ${size}; ${state}; ${round}`, async () => {
        progress(`starting again, ${state}`);
        prepare(servicePath(FOLDER));
        takeMemoryFromHost(data.records * MEMORY_BYTES_A_RECORD);
        return startAgain(data, truth);
      });
      startsOf[state] = [...(startsOf[state] ?? []), started];
    }
  }
  const all = Object.entries(startsOf);
  const lines = all.flatMap(([state, starts]) =>
    starts.map(({ seconds, readBytes }) => [state, seconds.toFixed(2), rounded(readBytes / MEBIBYTE)]),
  );
  const loaded = `Loaded in ${cost.seconds.toFixed(0)} s, indexed after ${cost.indexedSeconds.toFixed(0)} s.`;
  const table = markdownTable(['before', 'first answer after s', 'MiB read from disk until then'], lines);
  return {
    rows: all.map(([state, starts]) =>
      rowOf(starts, `start with ${size}, indexed, to the first answer, ${state}`),
    ),
    missing: [],
    details: `### Start, ${size}\n\n${loaded}\n\n${table}`,
  };
}

/** Stores and indexes the records, unless this run has done so, or an earlier one whose index of ours the plan takes. */
async function loadOnce(data: DataSet, { plan, cells }: Bench): Promise<LoadCost> {
  const folder = servicePath(FOLDER);
  const costPath = `${folder}.json`;
  const key = `loaded ${data.name} ${data.records} ${data.dimension}`;
  const known = existsSync(folder)
    ? readJson<{ readonly key: string; readonly cost: LoadCost }>(costPath)
    : null;
  if (known?.key === key && (plan.reuseOurs || cells.has(key))) return cells.put(key, known.cost);
  progress(`loading ${rounded(data.records)} records`);
  writeJson(costPath, null);
  const server = await startPinyon(FOLDER, { isNew: true, ...data });
  const cost = await server.load(data);
  await server.stop();
  writeJson(costPath, { key, cost });
  return cells.put(key, cost);
}

async function startAgain(data: DataSet, truth: Truth): Promise<Started> {
  const began = performance.now();
  const server = await startPinyon(FOLDER, { isNew: false, ...data });
  try {
    const lane = await server.open({}, null);
    const [first, ...others] = data.queryRows.map((query) => server.request(query, K, null));
    if (first === undefined) throw new Error('there are no queries');
    const answers = [await lane.ask(first)];
    const seconds = (performance.now() - began) / 1000;
    const readBytes = readFromDisk(server.pid());
    const before = processorSeconds(server.pid());
    await new Promise((resolve) => setTimeout(resolve, WATCHED_MS));
    const busySeconds = processorSeconds(server.pid()) - before;
    for (const request of others) answers.push(await lane.ask(request));
    lane.close();
    const recalls = answers.map((answer, query) => truth.recall(query, server.ids(answer)));
    const recall = recalls.reduce((sum, one) => sum + one, 0) / recalls.length;
    return { seconds, readBytes, recall, heldBytes: familyMemory(server.pid()).held, busySeconds };
  } finally {
    await server.stop();
  }
}

function rowOf(starts: readonly Started[], what: string): Row {
  const { median, low, high } = spreadOf(starts.map(({ seconds }) => seconds));
  const least = Math.min(...starts.map(({ recall }) => recall));
  const busiest = Math.max(...starts.map(({ busySeconds }) => busySeconds));
  const held = Math.max(...starts.map(({ heldBytes }) => heldBytes));
  const facts = [
    `${low.toFixed(2)} to ${high.toFixed(2)}`,
    `recall of the first ${QUERIES} queries ${least.toFixed(4)}`,
    `${rounded(held / MEBIBYTE)} MiB after`,
    `${busiest.toFixed(1)} s of processor time in the ${WATCHED_MS / 1000} s after`,
  ];
  return {
    what,
    goal: `< ${SECONDS_MAX} s, no rebuild`,
    ours: `${median.toFixed(2)} s (${facts.join('; ')})`,
    peer: NONE,
    ratio: null,
    lost: false,
    met: median < SECONDS_MAX && least >= RECALL_MIN && busiest < REBUILD_SECONDS_MAX,
  };
}
