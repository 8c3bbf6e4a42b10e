// Conformance: exports and imports of whole indexes.
import assert from 'node:assert/strict';
import type { IndexProfile } from '../../domain/index-model.ts';
import { CopyFailed, type CopyFailure } from '../port/copy-failed.ts';
import { assertSameState } from './compare-with-model.ts';
import { type Check, type ConformanceIndex, HYBRID, SPARSE } from './harness.ts';
import { dense, sampleQuery, sparseOnly } from './sample-data.ts';

const DAMAGES_MAX = 40;
const SCHEMA = { fields: { year: { filterable: true as const } } };

export function backups(check: Check): void {
  check('imports an export as an equal and independent index', HYBRID, async (index) => {
    await fill(index);
    const copy = await index.exported();
    assert.deepEqual(
      { records: copy.recordCount, namespaces: copy.namespaceCount, seq: copy.seq },
      { records: 4, namespaces: 3, seq: await index.reader.lsn() },
    );
    const made = await index.imported(copy.bytes);
    try {
      await assertSameState(made.reader, index.reader);
      assert.deepEqual((await made.reader.describeNamespace('kept'))?.schema, SCHEMA);
      assert.equal(await made.writer.deleteIds('', ['a']), copy.seq + 1);
      await made.writer.upsert('new', [dense('x', [1, 1, 1, 1])]);
      assert.equal((await index.reader.fetch('', ['a'])).length, 1);
      assert.equal(await index.reader.describeNamespace('new'), null);
    } finally {
      await made.close();
    }
  });
  check('remembers in copies which namespaces stay without records', {}, async (index) => {
    await fill(index);
    await index.writer.upsert('kept', [dense('a', [1, 0, 0, 0])]);
    const made = await index.imported((await index.exported()).bytes);
    try {
      await made.writer.deleteIds('other', ['a', 'c']);
      await made.writer.deleteIds('kept', ['a']);
      assert.equal(await made.reader.describeNamespace('other'), null);
      assert.equal((await made.reader.describeNamespace('kept'))?.recordCount, 0);
    } finally {
      await made.close();
    }
  });
  check('copies sparse indexes', SPARSE, async (index) => {
    await index.writer.upsert('', [sparseOnly('a', [[7, 0.5]], { n: 1 })]);
    const made = await index.imported((await index.exported()).bytes);
    try {
      await assertSameState(made.reader, index.reader);
    } finally {
      await made.close();
    }
  });
  check('copies an index without records', {}, async (index) => {
    const made = await index.imported((await index.exported()).bytes);
    await assertSameState(made.reader, index.reader).finally(() => made.close());
  });
  check('releases an export that is not read to its end', {}, async (index) => {
    await fill(index);
    const copy = await index.exported();
    for await (const piece of copy.bytes) {
      assert.ok(piece.length > 0);
      break;
    }
    await copy.release();
    await copy.release();
    await index.writer.deleteNamespace('');
  });
  check(
    'rejects a copy that is truncated, changed, doubled, out of order or mixed with another',
    {},
    async (index) => {
      await fill(index);
      const whole = await bytesOf(index);
      const other = await bytesOf(index);
      const third = Math.floor(whole.length / 3);
      const parts = [
        whole.subarray(0, third),
        whole.subarray(third, 2 * third),
        whole.subarray(2 * third),
      ] as const;
      const damages: Readonly<Record<string, readonly Uint8Array[]>> = {
        empty: [],
        'without its last byte': [whole.subarray(0, -1)],
        'without its last third': [parts[0], parts[1]],
        'without its middle': [parts[0], parts[2]],
        'out of order': [parts[0], parts[2], parts[1]],
        doubled: [whole, whole],
        'partly doubled': [parts[0], parts[1], parts[1], parts[2]],
        'with an extra byte': [whole, Uint8Array.of(0)],
        'of something else': [Buffer.from('anything else but a copy of an index, and long enough to be one')],
        ...(other.equals(whole) ? {} : { 'mixed with another': [parts[0], other.subarray(third)] }),
      };
      for (const [title, pieces] of Object.entries(damages)) await assertRejected(index, pieces, { title });
      const { damagesMax = DAMAGES_MAX } = index;
      for (let at = 0; at < whole.length; at += Math.ceil(whole.length / damagesMax)) {
        const changed = Buffer.from(whole);
        changed[at] = (changed[at] ?? 0) ^ 4;
        await assertRejected(index, [changed], { title: `changed at byte ${at} of ${whole.length}` });
      }
    },
  );
  check('gives its records to an index of another metric, whose scores are its own', {}, async (index) => {
    await index.writer.upsert('', [dense('near', [1, 1, 1, 1]), dense('along', [9, 0, 0, 0])]);
    const made = await index.imported((await index.exported()).bytes, { metric: 'euclidean' });
    try {
      const matches = await made.reader.query(sampleQuery({ values: Float32Array.of(2, 0, 0, 0) }));
      assert.deepEqual(
        matches.map(({ id, score }) => [id, score]),
        [
          ['near', 4],
          ['along', 49],
        ],
      );
    } finally {
      await made.close();
    }
  });
  check('rejects a copy of an index of another dimension or type', {}, async (index) => {
    await fill(index);
    const whole = [await bytesOf(index)];
    for (const overrides of [{ dimension: 3 }, SPARSE] as const)
      await assertRejected(index, whole, { title: JSON.stringify(overrides), reason: 'mismatch', overrides });
  });
}

async function fill({ writer }: ConformanceIndex): Promise<void> {
  await writer.createNamespace('kept', SCHEMA);
  await writer.upsert('', [dense('a', [1, 2, 3, 4], { genre: 'x' }), dense('b', [4, 3, 2, 1])]);
  await writer.upsert('gone', [dense('a', [9, 9, 9, 9])]);
  await writer.upsert('other', [dense('a', [0.1, 1e-3, -5, 7]), dense('c', [1, 0, 0, 0], { year: 2020 })]);
  await writer.update('other', {
    id: 'c',
    values: null,
    sparse: null,
    setMetadata: { seen: true },
  });
  await writer.deleteNamespace('gone');
  await writer.upsert('', [{ ...dense('b', [5, 5, 5, 5]), metadataJson: '{"text":"ä"}' }]);
}

async function bytesOf(index: ConformanceIndex): Promise<Buffer> {
  const copy = await index.exported();
  // A piece is valid until the next one is requested.
  return Buffer.concat(await Array.fromAsync(copy.bytes, (piece) => Uint8Array.from(piece)));
}

async function assertRejected(
  index: ConformanceIndex,
  pieces: readonly Uint8Array[],
  {
    title,
    reason = 'damaged',
    overrides = {},
  }: { readonly title: string; readonly reason?: CopyFailure; readonly overrides?: Partial<IndexProfile> },
): Promise<void> {
  async function* bytes() {
    yield* pieces;
  }
  let failure: unknown = null;
  try {
    await (await index.imported(bytes(), overrides)).close();
  } catch (error) {
    failure = error;
  }
  assert.ok(failure instanceof CopyFailed, `${title}: ${String(failure)}`);
  assert.equal(failure.reason, reason, `${title}: ${failure.message}`);
}
