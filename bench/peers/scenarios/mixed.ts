// Queries while 1,000 records a second arrive, against queries while nothing arrives.

import { percentile } from '../../support/figures.ts';
import { openDataSet } from '../data/data-sets.ts';
import { K } from '../data/truth.ts';
import type { Plan } from '../plan.ts';
import { httpJson } from '../servers/http-wire.ts';
import { keepAsking, sendAtRate } from '../servers/load.ts';
import { startPinyon } from '../servers/pinyon.ts';
import { progress } from '../support/progress.ts';
import { spreadOf, timesText } from '../support/spread.ts';
import { NONE, type Outcome, rounded } from './row.ts';

const CLIENTS = 16;
const BATCH = 100;
const BATCHES_PER_SECOND = 10;
const SHARE_MIN = 0.6;
const ROUNDS_MIN = 3;

export async function mixed(plan: Plan): Promise<Outcome> {
  const data = await openDataSet(plan.data, { ...plan, records: plan.servedRecords });
  const rounds = Math.max(plan.rounds, ROUNDS_MIN);
  const server = await startPinyon('mixed', { isNew: true, ...data });
  try {
    progress(`loading ${rounded(data.records)} records`);
    await server.load(data);
    const requests = data.queryRows.map((query) => server.request(query, K, null));
    const fresh: Buffer[] = [];
    // New ids go on from the last, enough of them for all rounds.
    const newRows = BATCH * BATCHES_PER_SECOND * Math.ceil(1 + rounds * plan.loadSeconds * 1.2);
    for (let first = 0; first < newRows; first += BATCH) {
      const rows = Array.from({ length: BATCH }, (_, at) => data.base.row((first + at) % data.records));
      fresh.push(server.upsertRequest(data.records + first, rows) ?? Buffer.alloc(0));
    }
    const lanes = await Promise.all(Array.from({ length: CLIENTS }, () => server.open({}, null)));
    const writer = await server.open({}, null);
    const load = { seconds: plan.loadSeconds };
    const idle: number[] = [];
    const busy: number[] = [];
    const rates: number[] = [];
    progress('searching while records arrive');
    for (let round = 0; round < rounds; round++) {
      idle.push((await keepAsking(lanes, requests, load)).qps);
      const searching = keepAsking(lanes, requests, load);
      const sending = sendAtRate(writer, fresh, {
        perSecond: BATCHES_PER_SECOND,
        done: searching,
        check: httpJson,
      });
      busy.push((await searching).qps);
      rates.push(BATCH * (await sending));
    }
    for (const lane of [...lanes, writer]) lane.close();
    const [idleQps, busyQps, rate] = [idle, busy, rates].map((values) => percentile(values, 0.5));
    const share = spreadOf(busy.map((qps, round) => qps / (idle[round] ?? Number.NaN)));
    const row = {
      what: `queries a second while ${rounded(rate ?? 0)} records/s arrive, ${CLIENTS} clients, ${rounded(data.records)} records`,
      goal: `>= ${SHARE_MIN} x idle (at 1,000 records/s)`,
      ours: `${rounded(busyQps ?? 0)}/s, of ${rounded(idleQps ?? 0)}/s idle: ${timesText(share)}`,
      peer: NONE,
      ratio: null,
      lost: false,
      met: share.median >= SHARE_MIN,
    };
    return { rows: [row], missing: [], details: '' };
  } finally {
    await server.stop();
  }
}
