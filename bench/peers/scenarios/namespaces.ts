// Very many small namespaces in one index: start, memory while idle, queries that each go to another one.
import { percentile } from '../../support/figures.ts';
import { familyMemory } from '../../support/process-memory.ts';
import { openDataSet } from '../data/data-sets.ts';
import { K } from '../data/truth.ts';
import type { Plan } from '../plan.ts';
import { httpJson, httpRequest, httpRequestOf } from '../servers/http-wire.ts';
import { sendAll } from '../servers/load.ts';
import { numbersOf, startPinyon } from '../servers/pinyon.ts';
import { progress } from '../support/progress.ts';
import { NONE, type Outcome, type Row, rounded } from './row.ts';

const RECORDS_EACH = 20;
const LANES = 8;
const START_SECONDS_MAX = 3;
const MEMORY_MAX = 300 * 1_000_000;
const P50_MS_MAX = 3;
const QUERIES = 2_000;
/** The rows repeat among the namespaces. */
const DISTINCT_ROWS = 10_000;
const IDLE_MS = 5_000;

export async function namespaces(plan: Plan): Promise<Outcome> {
  const data = await openDataSet(plan.data, { ...plan, records: DISTINCT_ROWS });
  const filling = await startPinyon('namespaces', { isNew: true, ...data });
  // As JSON text once: making it anew for each namespace would take longer than storing it.
  const vectors = [...data.base.pieces(DISTINCT_ROWS)].flatMap(({ rows }) =>
    rows.map((row) => JSON.stringify(numbersOf(row))),
  );
  function* fills() {
    for (let at = 0; at < plan.namespaces; at++) {
      const records = Array.from({ length: RECORDS_EACH }, (_, i) => {
        const values = vectors[(at * RECORDS_EACH + i) % vectors.length];
        return `{"id":"${i}","values":${values}}`;
      });
      const body = `{"namespace":"tenant-${at}","vectors":[${records.join(',')}]}`;
      yield httpRequestOf(filling.target, '/vectors/upsert', Buffer.from(body));
      if (at % 10_000 === 9_999) progress(`${rounded(at + 1)} namespaces filled`);
    }
  }
  const lanes = await Promise.all(Array.from({ length: LANES }, () => filling.open({}, null)));
  await sendAll(lanes, fills(), httpJson);
  for (const lane of lanes) lane.close();
  await filling.stop();
  progress('starting with all namespaces');
  const server = await startPinyon('namespaces', { isNew: false, ...data });
  const startSeconds = server.service.startMs / 1000;
  try {
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    const { held, resident } = familyMemory(server.pid());
    const lane = await server.open({}, null);
    const times: number[] = [];
    for (let i = 0; i < QUERIES; i++) {
      // Strides through all namespaces, so that hardly one is asked twice.
      const namespace = `tenant-${(Math.imul(i + 1, 0x9e3779b1) >>> 0) % plan.namespaces}`;
      const vector = numbersOf(data.queryRows[i % data.queries] ?? new Float32Array());
      const request = httpRequest(server.target, '/query', { namespace, vector, topK: K });
      const asked = performance.now();
      const answer = await lane.ask(request);
      times.push(performance.now() - asked);
      if (server.ids(answer).length !== K) throw new Error(`${namespace} answers too little`);
    }
    lane.close();
    return { rows: rowsOf(plan, { startSeconds, held, resident, times }), missing: [], details: '' };
  } finally {
    await server.stop();
  }
}

function rowsOf(
  { namespaces }: Plan,
  facts: {
    readonly startSeconds: number;
    readonly held: number;
    readonly resident: number;
    readonly times: readonly number[];
  },
): readonly Row[] {
  const what = `${rounded(namespaces)} namespaces x ${RECORDS_EACH} records`;
  const row = (
    measured: string,
    limits: { readonly goal: string; readonly ours: string; readonly met: boolean },
  ) => ({
    what: `${what}: ${measured}`,
    peer: NONE,
    ratio: null,
    lost: false,
    ...limits,
  });
  const p50 = percentile(facts.times, 0.5);
  const megabytes = (bytes: number) => `${rounded(bytes / 1e6)} MB`;
  return [
    row('start', {
      goal: `< ${START_SECONDS_MAX} s`,
      ours: `${facts.startSeconds.toFixed(2)} s`,
      met: facts.startSeconds < START_SECONDS_MAX,
    }),
    row('idle memory', {
      goal: `< ${megabytes(MEMORY_MAX)} resident`,
      ours: `${megabytes(facts.resident)} (${megabytes(facts.held)} without pages of files)`,
      met: facts.resident < MEMORY_MAX,
    }),
    row('query p50, each to another namespace', {
      goal: `< ${P50_MS_MAX} ms`,
      ours: `${p50.toFixed(2)} ms (p99 ${percentile(facts.times, 0.99).toFixed(2)})`,
      met: p50 < P50_MS_MAX,
    }),
  ];
}
