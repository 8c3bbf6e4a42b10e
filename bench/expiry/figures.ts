// Measures what queries notice while the background removes 1,000,000 expired records of the same index.
//
// `BENCH_RECORDS` chooses another number. The queries are of a namespace of its own, with QUERIED records.
import '../../src/boot/runtime-flags.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExpiredRemover } from '../../src/app/expiry/expired-remover.ts';
import type { Index, IndexProfile } from '../../src/domain/index-model.ts';
import { profileOf } from '../../src/domain/index-model.ts';
import { EngineClient } from '../../src/engine/embedded/testing/engine-client.ts';
import { packRecords } from '../../src/engine/port/packed-records.ts';
import { type Figure, machine, percentile, table } from '../support/figures.ts';

const RECORDS = Number(process.env.BENCH_RECORDS ?? 1_000_000);
const QUERIED = 20_000;
const DIMENSION = 32;
const BATCH = 1_000;
const IDLE_MS = 10_000;
const SLOWDOWN_MAX = 2;
const FIELD = 'expires_at';
const PAST = 1_000_000_000;
const FUTURE = 4_000_000_000;

const INDEX: Index = {
  ...{ id: 'expiring', projectId: 'project', name: 'expiring', vectorType: 'dense', metric: 'cosine' },
  dimension: DIMENSION,
  deployment: {
    ...{ kind: 'serverless', cloud: 'aws', region: 'us-east-1', readCapacity: { mode: 'OnDemand' } },
    ...{ metadataSchema: null, sourceCollection: null },
  },
  ...{ state: 'Ready', deletionProtection: 'disabled', tags: {}, port: null },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', embed: null, documents: null },
  timeToLive: { field: FIELD, seconds: null, namespaces: {} },
};

/** Deterministic values: their spread is all that matters. */
function vector(number: number): Float32Array {
  return Float32Array.from({ length: DIMENSION }, (_, at) => Math.sin((number + 1) * (at + 1) * 0.37));
}

async function fill({ engine }: EngineClient, profile: IndexProfile, namespace: string): Promise<void> {
  const [count, moment] = namespace === '' ? [QUERIED, FUTURE] : [RECORDS, PAST];
  for (let first = 0; first < count; first += BATCH) {
    const records = Array.from({ length: Math.min(BATCH, count - first) }, (_, i) => ({
      id: `r${first + i}`,
      values: vector(first + i),
      sparse: null,
      metadataJson: JSON.stringify({ [FIELD]: moment, n: i % 10 }),
    }));
    await engine.copies(profile).write(namespace, packRecords(records, DIMENSION));
  }
}

/** Queries one after the other while `goesOn`. @returns how long each took, in milliseconds */
async function query(
  { engine }: EngineClient,
  profile: IndexProfile,
  goesOn: () => boolean,
): Promise<readonly number[]> {
  const reader = engine.reader(profile);
  const times: number[] = [];
  for (let number = 0; goesOn(); number++) {
    const start = performance.now();
    await reader.query({
      ...{ namespace: '', topK: 10, values: vector(number * 7), sparse: null, filter: null },
      ...{ includeValues: false, includeMetadata: true },
    });
    times.push(performance.now() - start);
  }
  return times;
}

async function measure(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-expiry-'));
  const client = new EngineClient(folder);
  const profile = profileOf(INDEX);
  try {
    await client.engine.createIndex(profile);
    // The table of moments first, as on an index that has had the setting for a while.
    await client.engine.writer(profile).removeExpired({ field: FIELD, now: 0, recordsMax: 1 });
    await fill(client, profile, '');
    await fill(client, profile, 'expired');
    const warmUntil = performance.now() + IDLE_MS;
    await query(client, profile, () => performance.now() < warmUntil);
    const idleUntil = performance.now() + IDLE_MS;
    const idle = await query(client, profile, () => performance.now() < idleUntil);
    let isRemoving = true;
    const remover = new ExpiredRemover({
      indexes: () => [INDEX],
      engine: client.engine,
      onFailure: (error) => {
        throw error;
      },
    });
    const start = performance.now();
    const removal = remover.look().finally(() => {
      isRemoving = false;
    });
    const busy = await query(client, profile, () => isRemoving);
    await removal;
    const seconds = (performance.now() - start) / 1_000;
    const [before, during] = [percentile(idle, 0.99), percentile(busy, 0.99)];
    const ms = (times: readonly number[]) =>
      `p50 ${percentile(times, 0.5).toFixed(1)}, p99 ${percentile(times, 0.99).toFixed(1)} ms`;
    const { removed = 0 } = remover.figures(INDEX.id) ?? {};
    return [
      { what: 'queries without a removal', goal: null, measured: ms(idle), met: true },
      {
        what: `queries while ${removed} records are removed`,
        goal: `p99 at most ${SLOWDOWN_MAX} times`,
        measured: `${ms(busy)}: ${(during / before).toFixed(2)} times`,
        met: during <= SLOWDOWN_MAX * before && removed === RECORDS,
      },
      {
        what: 'removed a second',
        goal: null,
        measured: `${Math.round(removed / seconds)}, in ${seconds.toFixed(0)} s`,
        met: true,
      },
    ];
  } finally {
    await client.engine.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

process.stdout.write(`${machine()}\n\n${table(await measure())}\n`);
