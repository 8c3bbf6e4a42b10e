// Upserts through HTTP in batches of 100, acknowledged when durable, beside Chroma.
import { type DataSet, openDataSet } from '../data/data-sets.ts';
import { OURS } from '../engines/index.ts';
import type { Plan } from '../plan.ts';
import { httpJson } from '../servers/http-wire.ts';
import { type ServerName, startServer } from '../servers/index.ts';
import { sendAll } from '../servers/load.ts';
import { stage } from '../support/progress.ts';
import { spreadOf } from '../support/spread.ts';
import { NONE, type Outcome, rounded } from './row.ts';

const BATCH = 100;
const CLIENTS = 4;
const RATE_MIN = 10_000;
const TIMES = 2;
/** A peer gets this share of the records, and not too few; slow ones would take too long with all. */
const PEER_SHARE = 0.2;
const PEER_RECORDS_MIN = 1_000;

export async function upsert(plan: Plan): Promise<Outcome> {
  const data = await openDataSet(plan.data, { ...plan, records: plan.upsertRecords });
  const rates: { readonly name: string; readonly rate: number }[] = [];
  const missing: string[] = [];
  for (const name of ['Pinyon', 'Chroma'] as const) {
    try {
      rates.push({ name, rate: await stage(`upserting into ${name}`, () => rateOf(name, data)) });
    } catch (error) {
      if (name === OURS) throw error;
      missing.push(`${name}: ${error instanceof Error ? error.message : error}`);
    }
  }
  const [ours, peer] = rates;
  const ratio = ours === undefined || peer === undefined ? null : ours.rate / peer.rate;
  const row = {
    what: `upsert through HTTP, ${data.dimension} dimensions, batches of ${BATCH}, ${CLIENTS} clients, durable`,
    goal: `>= ${rounded(RATE_MIN)} records/s and >= ${TIMES} x Chroma`,
    ours: `${rounded(ours?.rate ?? 0)}/s`,
    peer: peer === undefined ? NONE : `${peer.name} ${rounded(peer.rate)}/s`,
    ratio: ratio === null ? null : spreadOf([ratio]),
    met: (ours?.rate ?? 0) >= RATE_MIN && ratio !== null && ratio >= TIMES,
    lost: ratio !== null && ratio < 1,
  };
  return { rows: [row], missing, details: '' };
}

/** Records a second, acknowledged. */
async function rateOf(name: ServerName, data: DataSet): Promise<number> {
  const server = await startServer(name, data);
  try {
    const isOurs = name === OURS;
    const records = isOurs ? data.records : Math.max(PEER_RECORDS_MIN, data.records * PEER_SHARE);
    const requests: Buffer[] = [];
    for (const { first, rows } of data.base.pieces(BATCH))
      if (first < records) requests.push(server.upsertRequest(first, rows) ?? Buffer.alloc(0));
    const lanes = await Promise.all(Array.from({ length: CLIENTS }, () => server.open({}, null)));
    const seconds = await sendAll(lanes, requests, httpJson);
    for (const lane of lanes) lane.close();
    return (requests.length * BATCH) / seconds;
  } finally {
    await server.stop();
  }
}
