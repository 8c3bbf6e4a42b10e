// A read that begins after a write was acknowledged sees it, whichever connection made it.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Connection } from './support/connection.ts';
import { effort } from './support/effort.ts';
import { assertMatches, type ModelRecord } from './support/model.ts';
import { Random } from './support/random.ts';
import { SEVERAL_READERS, type Service, startService } from './support/service.ts';

const DIMENSION = 8;
const ROUNDS = effort({ daily: 30, long: 300 });
/** How often a namespace grows and shrinks. */
const TIDES = effort({ daily: 2, long: 10 });
const NAMESPACE = 'fresh';

describe('a read right after an acknowledged write on another connection', () => {
  let service: Service;
  let host: string;
  before(async () => {
    service = await startService({ env: SEVERAL_READERS });
    host = await service.createIndex({ name: 'fresh', dimension: DIMENSION, metric: 'euclidean' });
  });
  after(() => service.dispose());

  /** Records far away from those of the rounds. */
  function crowd(count: number, random: Random): readonly ModelRecord[] {
    return Array.from({ length: count }, (_, i) => ({
      id: `crowd-${String(i).padStart(4, '0')}`,
      values: random.vector(DIMENSION, 100),
      metadata: { kind: 'crowd' },
    }));
  }

  async function rounds(namespace: string, random: Random): Promise<void> {
    const [writer, reader] = [new Connection(host), new Connection(host)];
    for (let round = 0; round < ROUNDS; round++) {
      const id = `round-${round % 7}`;
      const [first, second] = [random.vector(DIMENSION), random.vector(DIMENSION, -5)];
      const nearest = async (vector: readonly number[], filter?: object) =>
        (await reader.query({
          namespace,
          vector,
          topK: 1,
          filter,
          includeMetadata: true,
        })) as readonly unknown[];
      const metadata = { kind: 'round', round };
      await writer.upsert(namespace, [{ id, values: first, metadata }]);
      assert.deepEqual(await nearest(first), [{ id, score: 0, values: [], metadata }], `upsert ${round}`);
      await writer.post('/vectors/update', { namespace, id, values: second, setMetadata: { moved: true } });
      const moved = { ...metadata, moved: true };
      const found = await nearest(second, { moved: true, round });
      assert.deepEqual(found, [{ id, score: 0, values: [], metadata: moved }], `update ${round}`);
      await writer.post('/vectors/delete', { namespace, ids: [id] });
      assert.deepEqual(await nearest(second, { kind: 'round' }), [], `delete ${round}`);
      const fetched = await reader.fetch(namespace, [id]);
      assert.equal(fetched.size, 0, `fetch after delete ${round}`);
    }
    writer.close();
    reader.close();
  }

  it('sees upserts, updates and deletes in a small namespace', async () => {
    const random = new Random(1);
    const connection = new Connection(host);
    await connection.upsert('small', crowd(20, random));
    connection.close();
    await rounds('small', random);
  });

  it('sees upserts, updates and deletes in a namespace large enough for search in memory', async () => {
    const random = new Random(2);
    const connection = new Connection(host);
    await connection.upsert('large', crowd(800, random));
    connection.close();
    await rounds('large', random);
  });

  it('sees every record while a namespace grows and shrinks across the threshold of search in memory', async () => {
    const random = new Random(3);
    const [writer, reader] = [new Connection(host), new Connection(host)];
    const stored = new Map<string, ModelRecord>();
    const check = async (step: string) => {
      const vector = random.vector(DIMENSION, 100);
      const matches = await reader.query({ namespace: NAMESPACE, vector, topK: 1_000 });
      try {
        assertMatches(matches, stored, { metric: 'euclidean', vector, topK: 1_000 });
      } catch (error) {
        throw new Error(`${step}, ${stored.size} records`, { cause: error });
      }
    };
    for (let round = 0; round < TIDES; round++) {
      const records = crowd(500, random);
      for (let i = 0; i < records.length; i += 25) {
        const batch = records.slice(i, i + 25);
        await writer.upsert(NAMESPACE, batch);
        for (const record of batch) stored.set(record.id, record);
        await check(`upsert of round ${round}`);
      }
      while (stored.size > 50) {
        const ids = [...stored.keys()].slice(0, 30);
        await writer.post('/vectors/delete', { namespace: NAMESPACE, ids });
        for (const id of ids) stored.delete(id);
        await check(`delete of round ${round}`);
      }
    }
    writer.close();
    reader.close();
  });

  it('sees every write by its sequence number in the freshness headers', async () => {
    const [writer, reader] = [new Connection(host), new Connection(host)];
    for (let round = 0; round < ROUNDS; round++) {
      const vectors = [{ id: 'numbered', values: Array.from({ length: DIMENSION }, () => round + 1) }];
      const written = await writer.call('POST', '/vectors/upsert', { namespace: 'numbered', vectors });
      const read = await reader.call('GET', '/vectors/fetch?ids=numbered&namespace=numbered');
      const [lsn, seen] = [
        Number(written.headers['x-pinecone-request-lsn']),
        Number(read.headers['x-pinecone-max-indexed-lsn']),
      ];
      assert.ok(lsn > 0 && seen >= lsn, `wrote ${lsn}, saw ${seen}`);
    }
    writer.close();
    reader.close();
  });
});
