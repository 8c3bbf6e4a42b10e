// A disk that takes no more: writes are refused with the contract's body, reads go on, nothing is half written.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { both } from '../support/bodies.ts';
import type { Answer } from '../support/call.ts';
import { Connection } from '../support/connection.ts';
import type { ModelRecord } from '../support/model.ts';
import { Random } from '../support/random.ts';
import { type Service, startService } from '../support/service.ts';
import { found } from '../support/until.ts';

const DIMENSION = 256;
const BATCH = 50;
/** Room for some batches, then no more: the limit is of each file. */
const FILE_BYTES_MAX = 2 * 1024 * 1024;
const BATCHES_MAX = 200;
/** The folder of blobs has it from the first start on. */
const IDENTITY_FILE = '.pinyon-blobs';

/** Dense vectors fill the file of vectors first; sparse ones are in the file of records, with all else. */
const KINDS = [
  { kind: 'dense', index: { dimension: DIMENSION, metric: 'cosine' } },
  { kind: 'sparse', index: { vector_type: 'sparse', metric: 'dotproduct' } },
] as const;

for (const { kind, index } of KINDS) {
  describe(`a server whose disk is full, with a ${kind} index`, () => fullDisk(kind, index));
}

function fullDisk(kind: 'dense' | 'sparse', index: Readonly<Record<string, unknown>>): void {
  const random = new Random(5);
  const records = new Map<string, ModelRecord>();
  let service: Service;
  let host: string;
  let refused: Answer | undefined;
  before(async () => {
    service = await startService({ fileBytesMax: FILE_BYTES_MAX });
    host = await service.createIndex({ name: 'full', ...index });
  });
  after(() => service.dispose());

  function vectors(): Pick<ModelRecord, 'values' | 'sparseValues'> {
    if (kind === 'dense') return { values: random.vector(DIMENSION) };
    const indices = Array.from({ length: 100 }, (_, i) => i * 7);
    return { values: [], sparseValues: { indices, values: random.vector(indices.length) } };
  }

  function batch(round: number): readonly ModelRecord[] {
    return Array.from({ length: BATCH }, (_, i) => ({
      id: `record-${round}-${i}`,
      ...vectors(),
      // Digits that do not shrink: a backup is not to fit where the vectors alone just did.
      metadata: { round, text: random.vector(25).join(' ') },
    }));
  }

  async function stored(): Promise<ReadonlyMap<string, ModelRecord>> {
    const connection = new Connection(host);
    const found = new Map<string, ModelRecord>();
    const ids = await connection.listIds('main');
    for (let i = 0; i < ids.length; i += 200) {
      for (const [id, record] of await connection.fetch('main', ids.slice(i, i + 200))) found.set(id, record);
    }
    connection.close();
    return found;
  }

  function assertStored(found: ReadonlyMap<string, ModelRecord>): void {
    assert.equal(found.size, records.size);
    for (const [id, record] of records) assert.deepEqual(found.get(id), record);
  }

  it('responds 503 to upserts in the body of vectors operations, saying that nothing was stored', async () => {
    const connection = new Connection(host);
    for (let round = 0; round < BATCHES_MAX && refused === undefined; round++) {
      const vectors = batch(round);
      const answer = await connection.call('POST', '/vectors/upsert', { namespace: 'main', vectors });
      if (answer.status === 200) for (const record of vectors) records.set(record.id, record);
      else refused = answer;
    }
    connection.close();
    assert.ok(refused !== undefined, 'the disk was never full');
    assert.ok(records.size > 0, 'the disk was full at once');
    assert.equal(refused.status, 503, refused.text);
    const { message } = refused.body as { readonly message: string };
    assert.deepEqual(refused.body, both({ status: 503, name: 'UNAVAILABLE', code: 14 }, message));
    assert.match(message, /^The server cannot write to its disk: .+\. Nothing of this request was stored\.$/);
  });

  it('shows nothing of the refused batch, and keeps serving reads', async () => {
    assertStored(await stored());
    const connection = new Connection(host);
    const [first] = records.values();
    const [match] = await connection.query({ namespace: 'main', id: first?.id, topK: 1 });
    assert.equal(match?.id, first?.id);
    connection.close();
    const health = await service.call('GET', '/health');
    assert.equal(health.status, 200);
  });

  // Sparse records take less room in files than in the index.
  if (kind === 'dense')
    it('fails an export that does not fit with a reason, and leaves none of its files', async () => {
      const connection = new Connection(host);
      const begun = await connection.call('POST', '/bulk/exports', { format: 'jsonl' });
      const { id } = begun.body as { readonly id: string };
      const state = await found(async () => {
        const { body } = await connection.call('GET', `/bulk/exports/${id}`);
        const state = body as { readonly status: string; readonly error?: string };
        return ['Pending', 'InProgress'].includes(state.status) ? undefined : state;
      }, 'the export');
      assert.equal(state.status, 'Failed');
      assert.match(state.error ?? '', /too large|no space/i);
      assert.equal((await connection.call('GET', `/bulk/exports/${id}/files`)).status, 404);
      connection.close();
      assert.deepEqual(blobsIn(service.dataDir), []);
    });

  if (kind === 'dense')
    it('fails a backup that does not fit, and leaves nothing of it', async () => {
      const begun = await service.call('POST', '/indexes/full/backups', { body: {} });
      const { backup_id: id } = begun.body as { readonly backup_id: string };
      const status = await found(async () => {
        const { status } = (await service.call('GET', `/backups/${id}`)).body as { readonly status: string };
        return status === 'Initializing' ? undefined : status;
      }, 'the backup');
      assert.equal(status, 'Failed');
      assert.deepEqual(blobsIn(service.dataDir), []);
    });

  it('has everything acknowledged after a restart, and writes again once there is space', async () => {
    const ended = await service.restart();
    assert.deepEqual(ended, { code: 0, signal: null });
    assertStored(await stored());
    const connection = new Connection(host);
    const vectors = batch(BATCHES_MAX);
    await connection.upsert('main', vectors);
    for (const record of vectors) records.set(record.id, record);
    connection.close();
    assertStored(await stored());
  });
}

function blobsIn(dataDir: string): readonly string[] {
  const entries = readdirSync(join(dataDir, 'blobs'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  return files.filter((name) => name !== IDENTITY_FILE);
}
