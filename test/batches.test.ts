// Readers beside a writer: every answer shows whole batches, each record whole, and never less than was acknowledged.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Connection } from './support/connection.ts';
import { effort } from './support/effort.ts';
import type { Match, ModelRecord } from './support/model.ts';
import { SEVERAL_READERS, type Service, startService } from './support/service.ts';

const BATCH = 100;
const ROUNDS = effort({ daily: 30, long: 300 });
const READERS = 3;

interface Seen extends Match {
  readonly values: readonly number[];
  readonly metadata: { readonly round: number };
}

describe('readers beside a writer', () => {
  let service: Service;
  let host: string;
  before(async () => {
    service = await startService({ env: SEVERAL_READERS });
    host = await service.createIndex({ name: 'batches', dimension: 2, metric: 'dotproduct' });
  });
  after(() => service.dispose());

  /** The round is in the vector and in the metadata: a score tells which version of the vector was scored. */
  function batch(round: number): readonly ModelRecord[] {
    return Array.from({ length: BATCH }, (_, i) => ({
      id: `batch-${i}`,
      values: [round, 1],
      metadata: { batch: true, round },
    }));
  }

  function assertWhole(seen: readonly Seen[], acknowledged: number): void {
    assert.equal(seen.length, BATCH, `after round ${acknowledged}`);
    const [first] = seen;
    for (const { id, score, values, metadata } of seen) {
      assert.equal(metadata.round, first?.metadata.round, `${id}: another round than ${first?.id}`);
      assert.deepEqual([score, values], [metadata.round, [metadata.round, 1]], `${id} is not whole`);
    }
    assert.ok(
      (first?.metadata.round ?? 0) >= acknowledged,
      `saw ${first?.metadata.round}, not ${acknowledged}`,
    );
  }

  async function run(namespace: string, others: number): Promise<void> {
    const writer = new Connection(host);
    const crowd = Array.from({ length: others }, (_, i) => ({ id: `other-${i}`, values: [-1, i + 1] }));
    if (others > 0) await writer.upsert(namespace, crowd);
    await writer.upsert(namespace, batch(1));
    let acknowledged = 1;
    let reads = 0;
    const query = { vector: [1, 0], topK: BATCH, includeMetadata: true, includeValues: true };
    const readers = Array.from({ length: READERS }, async (_, i) => {
      const reader = new Connection(host);
      while (acknowledged < ROUNDS) {
        const before = acknowledged;
        const filter = (i + reads) % 2 === 0 ? { batch: true } : undefined;
        assertWhole((await reader.query({ namespace, ...query, filter })) as readonly Seen[], before);
        reads++;
      }
      reader.close();
    });
    const writing = (async () => {
      for (let round = 2; round <= ROUNDS; round++) {
        await writer.upsert(namespace, batch(round));
        acknowledged = round;
      }
    })();
    try {
      await Promise.all([writing, ...readers]);
    } finally {
      acknowledged = ROUNDS;
      writer.close();
    }
    assert.ok(reads >= ROUNDS / 2, `only ${reads} reads`);
  }

  it('see whole batches in a small namespace', () => run('small', 0));

  it('see whole batches in a namespace large enough for search in memory', () => run('large', 1_000));

  it('see a namespace whole or not at all while it is deleted and filled again', async () => {
    const [writer, reader] = [new Connection(host), new Connection(host)];
    let writing = true;
    const load = (async () => {
      for (let round = 1; round <= ROUNDS; round++) {
        await writer.upsert('again', batch(round));
        await writer.post('/vectors/delete', { namespace: 'again', deleteAll: true });
      }
    })().finally(() => {
      writing = false;
    });
    while (writing) {
      const seen = await reader.query({
        namespace: 'again',
        vector: [1, 0],
        topK: BATCH,
        includeMetadata: true,
      });
      assert.ok(seen.length === 0 || seen.length === BATCH, `${seen.length} records`);
      assert.equal(new Set((seen as readonly Seen[]).map(({ metadata }) => metadata.round)).size <= 1, true);
    }
    await load;
    writer.close();
    reader.close();
  });
});
