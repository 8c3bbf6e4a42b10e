// Starting with a million indexed records: from the start command to the first answer.
import { percentile } from '../../support/figures.ts';
import { openDataSet } from '../data/data-sets.ts';
import { exactTruth, K } from '../data/truth.ts';
import type { Plan } from '../plan.ts';
import { startPinyon } from '../servers/pinyon.ts';
import { processorSeconds } from '../support/process-load.ts';
import { familyMemory } from '../support/process-memory.ts';
import { progress } from '../support/progress.ts';
import { NONE, type Outcome, rounded } from './row.ts';

const SECONDS_MAX = 3;
const STARTS = 3;
const RECALL_MIN = 0.98;
/** Enough to tell an index from its absence. */
const QUERIES = 100;
/** After the first answer nothing may be going on that looks like building an index. */
const WATCHED_MS = 5_000;
const REBUILD_SECONDS_MAX = 0.5;

export async function start(plan: Plan): Promise<Outcome> {
  const data = await openDataSet(plan.data, { ...plan, queries: QUERIES, records: plan.startRecords });
  const truth = await exactTruth(data);
  progress(`loading ${rounded(data.records)} records`);
  const loading = await startPinyon('start', { isNew: true, ...data });
  const { seconds, indexedSeconds } = await loading.load(data);
  await loading.stop();
  const firstAnswers: number[] = [];
  const recalls: number[] = [];
  let memory = 0;
  let rebuilding = 0;
  for (let i = 0; i < STARTS; i++) {
    progress('starting again');
    const began = performance.now();
    const server = await startPinyon('start', { isNew: false, ...data });
    const lane = await server.open({}, null);
    const [first, ...others] = data.queryRows.map((query) => server.request(query, K, null));
    if (first === undefined) throw new Error('there are no queries');
    const answers = [await lane.ask(first)];
    firstAnswers.push((performance.now() - began) / 1000);
    const before = processorSeconds(server.pid());
    await new Promise((resolve) => setTimeout(resolve, WATCHED_MS));
    rebuilding = Math.max(rebuilding, processorSeconds(server.pid()) - before);
    for (const request of others) answers.push(await lane.ask(request));
    recalls.push(...answers.map((answer, query) => truth.recall(query, server.ids(answer))));
    memory = familyMemory(server.pid()).held;
    lane.close();
    await server.stop();
  }
  const recall = recalls.reduce((sum, one) => sum + one, 0) / recalls.length;
  const median = percentile(firstAnswers, 0.5);
  const row = {
    what: `start with ${rounded(data.records)} x ${data.dimension} indexed records to the first answer`,
    goal: `< ${SECONDS_MAX} s, no rebuild`,
    ours: `${median.toFixed(2)} s (recall of the first ${QUERIES} queries ${recall.toFixed(4)}, ${rounded(memory / 2 ** 20)} MiB after; ${rebuilding.toFixed(1)} s of processor time in the ${WATCHED_MS / 1000} s after)`,
    peer: NONE,
    ratio: null,
    lost: false,
    met: median < SECONDS_MAX && recall >= RECALL_MIN && rebuilding < REBUILD_SECONDS_MAX,
  };
  const details = `Loaded in ${seconds.toFixed(0)} s, indexed after ${indexedSeconds.toFixed(0)} s.`;
  return { rows: [row], missing: [], details: `### Start\n\n${details}` };
}
