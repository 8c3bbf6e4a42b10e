// A copy contains exactly the records of its snapshot, and the derived files.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { until } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { CopyFailed } from '../../port/copy-failed.ts';
import type { IndexExport } from '../../port/index-copies.ts';
import { unpackRecords } from '../../port/packed-records.ts';
import { ReferenceIndex } from '../../reference/reference-index.ts';
import { exportInProcess, importInProcess, readInProcess } from '../in-process-copies.ts';
import { type InProcessIndex, openInProcess } from '../in-process-index.ts';
import { InProcessBuilders } from '../indexing/builds/in-process-builders.ts';
import { RowFile } from '../storage/row-file.ts';
import { HardRecords } from '../testing/hard-records.ts';
import { RandomRecords } from '../testing/random-records.ts';
import { assertRecall } from '../testing/recall.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { HEADER_BYTES } from './frame-buffers.ts';
import { Kind } from './frames.ts';

/** Where a frame says what it holds. */
const KIND_AT = 5;

const PROFILE = sampleProfile({ metric: 'euclidean', dimension: 32 });
const GRAPH = {
  directRecordsMax: 0,
  maintenanceLimits: { graphRecordsMin: 500, unindexedSlotsMin: 64 },
  saveIdleMs: 20,
};

class CountingBuilders extends InProcessBuilders {
  inserted = 0;

  override run(...[memory, job]: Parameters<InProcessBuilders['run']>): ReturnType<InProcessBuilders['run']> {
    if (job.kind === 'insert') this.inserted += job.slots.length;
    return super.run(memory, job);
  }
}

function setUp(test: TestContext, profile = PROFILE) {
  const root = tempFolder(test);
  const indexes: InProcessIndex[] = [];
  test.after(async () => {
    for (const index of indexes) await index.close();
  });
  const open = (name: string, options: Parameters<typeof openInProcess>[2] = {}) => {
    const index = openInProcess(profile, join(root, name), { ...GRAPH, ...options });
    indexes.push(index);
    return index;
  };
  return {
    root,
    open,
    take: (index: InProcessIndex, name: string) =>
      exportInProcess({ profile, folder: join(root, name), index }),
    make: (bytes: IndexExport['bytes'] | Iterable<Uint8Array>, name: string, made = profile) =>
      importInProcess(made, bytes, { aside: join(root, 'aside'), folder: join(root, name) }),
  };
}

function flipped(piece: Uint8Array, at: number): Uint8Array {
  const changed = new Uint8Array(piece);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}

function bytesOf(values: Float32Array | null): Buffer {
  return values === null ? Buffer.alloc(0) : Buffer.from(values.buffer, values.byteOffset, values.byteLength);
}

/** Waits until all is in the graph and on disk. */
async function saved({ parts: { loaded, checkpointer } }: InProcessIndex): Promise<void> {
  await loaded.settled();
  await until(() => loaded.segments().every((segment) => checkpointer.isSaved(segment)), 'the files');
  await loaded.settled();
}

it('imports an index with its graph, and with the writes after the graph was saved', async (test) => {
  const { open, take, make } = setUp(test);
  const records = new HardRecords(PROFILE, 5);
  const model = new ReferenceIndex(PROFILE);
  const source = open('source');
  const write = async (first: number, count: number) => {
    const batch = records.records(first, count);
    for (const side of [source.writer, model]) await side.upsert('', batch);
  };
  await write(0, 1_500);
  await source.reader.query(records.query());
  await saved(source);
  await write(1_495, 6);
  for (const side of [source.writer, model]) await side.deleteIds('', ['r1', 'r2']);
  const copy = take(source, 'source');
  // Files that are replaced while they are read stay as they were.
  await write(2_000, 1);
  await model.deleteIds('', ['r2000']);
  await make(copy.bytes, 'made');
  const builders = new CountingBuilders();
  const made = open('made', { builders });
  await assertRecall(
    { actual: made.reader, model },
    [1, 2, 3].map(() => records.query()),
  );
  const [segment] = made.parts.loaded.segments();
  assert.ok((segment?.graphIndex.graph?.slots ?? 0) >= 1_500);
  await made.parts.loaded.settled();
  assert.ok(builders.inserted < 100, `${builders.inserted} inserted`);
});

it('rebuilds derived files that are missing, or that this release cannot use', async (test) => {
  const { root, open, take, make } = setUp(test);
  const records = new HardRecords(PROFILE, 6);
  const model = new ReferenceIndex(PROFILE);
  const source = open('source');
  const batch = records.records(0, 800);
  for (const side of [source.writer, model]) await side.upsert('', batch);
  await source.reader.query(records.query());
  await saved(source);
  const { store } = source.parts.files;
  store.env.transactionSync(() => {
    for (const { namespaceId, row } of [...store.derived.list()])
      store.derived.put(namespaceId, {
        ...row,
        segments: row.segments.map((each) => ({ ...each, tags: ['gone'] })),
      });
  });
  await make(take(source, 'source').bytes, 'made');
  assert.deepEqual(readdirSync(join(root, 'made', 'derived')), []);
  const made = open('made');
  await assertRecall({ actual: made.reader, model }, [records.query()]);
  await saved(made);
  assert.equal(readdirSync(join(root, 'made', 'derived')).length, 1);
});

it('gives the records to an index of another metric, which derives its own graph', async (test) => {
  const other = sampleProfile({ metric: 'cosine', dimension: 32 });
  const { root, open, take, make } = setUp(test);
  const records = new HardRecords(PROFILE, 12);
  const model = new ReferenceIndex(other);
  const source = open('source');
  const batch = records.records(0, 1_500);
  for (const side of [source.writer, model]) await side.upsert('', batch);
  await source.reader.query(records.query());
  await saved(source);
  await make(take(source, 'source').bytes, 'made', other);
  const made = openInProcess(other, join(root, 'made'), GRAPH);
  test.after(() => made.close());
  const queries = [1, 2, 3].map(() => records.query());
  await assertRecall({ actual: made.reader, model }, queries);
  await saved(made);
  await assertRecall({ actual: made.reader, model }, queries);
  const [segment] = made.parts.loaded.segments();
  assert.equal(segment?.graphIndex.graph?.slots, 1_500);
});

it('exports a consistent snapshot while every row is rewritten', async (test) => {
  const wide = sampleProfile({ metric: 'euclidean', dimension: 1_024 });
  const { open, take, make } = setUp(test, wide);
  const records = new RandomRecords(wide, 3);
  const source = open('source');
  const [batch, others] = [records.records(0, 800), records.records(0, 500)];
  await source.writer.upsert('', batch);
  const copy = take(source, 'source');
  const pieces: Uint8Array[] = [];
  for await (const piece of copy.bytes) {
    pieces.push(piece);
    // Twice, so that rows freed by the first time would be used again by the second.
    for (let i = 0; i < 2; i++) await source.writer.upsert('', others);
  }
  assert.ok(pieces.length > 4, `${pieces.length} pieces`);
  await make(pieces, 'made');
  const stored = await open('made').reader.fetch(
    '',
    batch.map(({ id }) => id),
  );
  const changed = batch.filter(
    ({ values }, i) => !bytesOf(values).equals(bytesOf(stored[i]?.values ?? null)),
  );
  assert.equal(changed.length, 0);
});

it('exports nothing of deleted records and namespaces, and reuses their rows after the import', async (test) => {
  const { root, open, take, make } = setUp(test);
  const records = new RandomRecords(PROFILE, 8);
  const source = open('source');
  const secret = { ...records.record('secret'), metadataJson: '{"secret":"hunter2"}' };
  await source.writer.upsert('', [...records.records(0, 300), secret]);
  await source.writer.upsert('dropped', [secret]);
  await source.writer.deleteIds('', ['secret', ...Array.from({ length: 200 }, (_, i) => `r${i}`)]);
  await source.writer.deleteNamespace('dropped');
  await make(take(source, 'source').bytes, 'made');
  const stored = ['records.mdb', 'rows.f32'].map((name) => readFileSync(join(root, 'made', name)));
  const bytes = Buffer.concat(stored);
  assert.ok(bytes.includes('r250') && !bytes.includes('hunter2') && !bytes.includes('dropped'));
  assert.ok(!bytes.includes(bytesOf(secret.values)));
  const made = open('made');
  const before = statSync(join(root, 'made', 'rows.f32')).size;
  await made.writer.upsert('', records.records(1_000, 190));
  assert.equal(statSync(join(root, 'made', 'rows.f32')).size, before);
});

it('leaves nothing of a failed import, and overwrites no index', async (test) => {
  const { root, open, take, make } = setUp(test);
  const records = new RandomRecords(PROFILE, 9);
  const source = open('source');
  await source.writer.upsert('', records.records(0, 10));
  const pieces = await Array.fromAsync(take(source, 'source').bytes);
  await assert.rejects(make(pieces.slice(0, -1), 'made'), CopyFailed);
  assert.deepEqual(readdirSync(root), ['source']);
  await assert.rejects(make(pieces, 'source'), /exists already/);
  assert.deepEqual(readdirSync(root), ['source']);
  const failing = async function* () {
    yield* pieces.slice(0, 2);
    throw new Error('the line is dead');
  };
  await assert.rejects(make(failing(), 'made'), /the line is dead/);
  assert.ok(!existsSync(join(root, 'made')));
});

it('rejects a copy with any frame that is damaged, missing, doubled or cut', async (test) => {
  const { root, open, take, make } = setUp(test);
  const source = open('source');
  const records = new HardRecords(PROFILE, 10);
  await source.writer.upsert('', records.records(0, 600));
  await source.reader.query(records.query());
  await saved(source);
  const pieces = await Array.fromAsync(take(source, 'source').bytes);
  const kinds = new Set(pieces.map((piece) => piece[KIND_AT] ?? 0));
  assert.deepEqual([...kinds].sort(), Object.values(Kind).sort());
  const without = (at: number, ...instead: readonly Uint8Array[]) => pieces.toSpliced(at, 1, ...instead);
  const damages = pieces.flatMap((piece, at) => [
    without(at),
    without(at, piece, piece),
    without(at, piece.subarray(0, -1)),
    pieces.slice(0, at),
    ...[KIND_AT, HEADER_BYTES, piece.length - 1].map((place) => without(at, flipped(piece, place))),
  ]);
  for (const damaged of damages) {
    await assert.rejects(make(damaged, 'made'), CopyFailed);
    assert.deepEqual(readdirSync(root), ['source']);
  }
  await make(pieces, 'made');
});

it('exports and imports entries longer than a frame', async (test) => {
  const { open, take, make } = setUp(test);
  const source = open('source');
  const fields = Object.fromEntries(
    Array.from({ length: 60_000 }, (_, i) => [`field-${i}`, { filterable: true as const }]),
  );
  for (const name of ['a', 'b', 'c'])
    await source.writer.createNamespace(name, name === 'b' ? { fields } : null);
  await make(take(source, 'source').bytes, 'made');
  const made = open('made');
  assert.deepEqual((await made.reader.describeNamespace('b'))?.schema, { fields });
  assert.equal((await made.reader.listNamespaces({ prefix: '', limit: 9, after: null })).total, 3);
});

it('ends an import on a full disk, and leaves nothing', async (test) => {
  const { root, open, take, make } = setUp(test);
  const source = open('source');
  await source.writer.upsert('', new RandomRecords(PROFILE, 9).records(0, 10));
  const pieces = await Array.fromAsync(take(source, 'source').bytes);
  const full = () => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  };
  for (const method of ['writeRun', 'sync'] as const) {
    const failing = test.mock.method(RowFile.prototype, method, full);
    await assert.rejects(make(pieces, 'made'), { code: 'ENOSPC' });
    failing.mock.restore();
    assert.deepEqual(readdirSync(root), ['source']);
  }
  await make(pieces, 'made');
});

it('ends an export when its index is dropped', async (test) => {
  const { open, take } = setUp(test);
  const source = open('source');
  await source.writer.upsert('', new RandomRecords(PROFILE, 9).records(0, 10));
  const copy = take(source, 'source');
  await source.writer.close();
  await assert.rejects(Array.fromAsync(copy.bytes), /not found/);
});

for (const options of [
  { metric: 'euclidean', dimension: 3 },
  { metric: 'dotproduct', dimension: 3 },
  { metric: 'dotproduct', vectorType: 'sparse', dimension: null },
] as const)
  it(`reads all records in batches, in order, from any position: ${options.metric} ${options.dimension}`, async (test) => {
    const profile = sampleProfile(options);
    const { root, open } = setUp(test, profile);
    const records = new RandomRecords(profile, 12);
    const index = open('source');
    const model = new ReferenceIndex(profile);
    for (const [name, count] of [
      ['', 2_300],
      ['b', 1_000],
      ['a', 3],
    ] as const) {
      const batch = records.records(0, count);
      for (const side of [index.writer, model]) await side.upsert(name, batch);
    }
    for (const side of [index.writer, model]) await side.createNamespace('empty', null);
    const source = { profile, folder: join(root, 'source'), index };
    const batches = await readInProcess(source, null);
    assert.deepEqual(
      batches.map(({ namespace, isLast, records: { count } }) => [namespace.name, count, isLast]),
      [
        ['', 1_000, false],
        ['', 1_000, false],
        ['', 300, true],
        ['a', 3, true],
        ['b', 1_000, true],
        ['empty', 0, true],
      ],
    );
    const { namespaces } = model.state();
    for (const { name, records: expected } of namespaces) {
      const found = batches.filter(({ namespace }) => namespace.name === name);
      assert.deepEqual(
        found.flatMap((batch) => unpackRecords(batch.records)),
        expected,
      );
    }
    const [, second] = await readInProcess(source, {
      namespace: '',
      id: namespaces[0]?.records[1_999]?.id ?? '',
    });
    assert.equal(second?.namespace.name, 'a');
    const rest = await readInProcess(source, { namespace: 'a', id: null });
    assert.deepEqual(
      rest.map(({ namespace }) => namespace.name),
      ['a', 'b', 'empty'],
    );
  });
