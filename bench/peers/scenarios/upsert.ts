// Upserts through HTTP in batches of 100, acknowledged when durable, beside Chroma.
import { openDataSet } from '../data/data-sets.ts';
import type { Plan } from '../plan.ts';
import { httpJson } from '../servers/http-wire.ts';
import { startServers } from '../servers/index.ts';
import { sendAll } from '../servers/load.ts';
import type { Server } from '../servers/server.ts';
import { progress } from '../support/progress.ts';
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
  const { servers, missing, stop } = await startServers(['Pinyon', 'Chroma'], data);
  try {
    const rates: { readonly server: Server; readonly rate: number }[] = [];
    for (const [at, server] of servers.entries()) {
      progress(`upserting into ${server.name}`);
      const records = at === 0 ? data.records : Math.max(PEER_RECORDS_MIN, data.records * PEER_SHARE);
      const requests: Buffer[] = [];
      for (const { first, rows } of data.base.pieces(BATCH))
        if (first < records) requests.push(server.upsertRequest(first, rows) ?? Buffer.alloc(0));
      const lanes = await Promise.all(Array.from({ length: CLIENTS }, () => server.open({}, null)));
      const seconds = await sendAll(lanes, requests, httpJson);
      for (const lane of lanes) lane.close();
      rates.push({ server, rate: (requests.length * BATCH) / seconds });
    }
    const [ours, peer] = rates;
    const ratio = ours === undefined || peer === undefined ? null : ours.rate / peer.rate;
    const row = {
      what: `upsert through HTTP, ${data.dimension} dimensions, batches of ${BATCH}, ${CLIENTS} clients, durable`,
      goal: `>= ${rounded(RATE_MIN)} records/s and >= ${TIMES} x Chroma`,
      ours: `${rounded(ours?.rate ?? 0)}/s`,
      peer: peer === undefined ? NONE : `${peer.server.name} ${rounded(peer.rate)}/s`,
      ratio,
      met: (ours?.rate ?? 0) >= RATE_MIN && ratio !== null && ratio >= TIMES,
      lost: ratio !== null && ratio < 1,
    };
    return { rows: [row], missing, details: '' };
  } finally {
    await stop();
  }
}
