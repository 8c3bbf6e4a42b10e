// Conformance: portable copies, made by one engine and read by the same or another one.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { IndexProfile } from '../../domain/index-model.ts';
import { effort } from '../embedded/testing/effort.ts';
import { CopyFailed, type CopyFailure } from '../port/copy-failed.ts';
import type { StorableRecord } from '../port/reader-and-writer.ts';
import type { VectorStore } from '../port/vector-store.ts';
import { assertSameState } from './compare-with-model.ts';
import { articles, DOCUMENTS, TEXTS_ONLY, term } from './document-data.ts';
import { HYBRID, idsOf, SPARSE } from './harness.ts';
import { dense, sampleProfile, sampleQuery, sparseOf, sparseOnly } from './sample-data.ts';

/** Bytes of a copy that are changed, one at a time: each costs an index that is begun and removed. */
const CHANGES = effort({ daily: 6, long: 20 });

type MakeEngine = () => Promise<{ readonly engine: VectorStore; close(): Promise<void> }>;

interface Kind {
  readonly profile: Partial<IndexProfile>;
  readonly records: readonly StorableRecord[];
}

/** More records than a batch of any engine. */
const MANY = 1_200;
const SCHEMA = { fields: { year: { filterable: true as const } } };
const VECTORS = Array.from({ length: MANY }, (_, at) =>
  dense(
    `r${at}`,
    [at % 7, 1, at, -1 - at],
    at % 3 === 0 ? null : { at, text: `ä\u{1f600} ${at}`, tags: ['x', 'y'] },
  ),
);
const KINDS: Readonly<Record<string, Kind>> = {
  'by cosine': { profile: { metric: 'cosine' }, records: VECTORS },
  'by euclidean distance': { profile: { metric: 'euclidean' }, records: VECTORS.slice(0, 3) },
  hybrid: {
    profile: HYBRID,
    records: [
      {
        ...dense('a', [1, 2, 3, 4]),
        sparse: sparseOf([
          [7, 0.5],
          [2 ** 32 - 1, -2],
        ]),
      },
      dense('b', [0, 0, 0, 0]),
    ],
  },
  sparse: { profile: SPARSE, records: [sparseOnly('a', [[7, 0.5]], { n: 1 }), sparseOnly('b', [[9, 1]])] },
  'of documents': { profile: DOCUMENTS, records: articles() },
  'of texts alone': {
    profile: TEXTS_ONLY,
    records: articles().map((each) => ({ ...each, values: null })),
  },
};

/** Declares the suite under `name`: what `makeSource` exports, `makeTarget` imports. */
export function describePortableCopies(name: string, makeSource: MakeEngine, makeTarget: MakeEngine): void {
  describe(name, () => {
    let source: Awaited<ReturnType<MakeEngine>>;
    let target: Awaited<ReturnType<MakeEngine>>;
    before(async () => {
      [source, target] = [await makeSource(), await makeTarget()];
    });
    after(async () => {
      await source.close();
      await target.close();
    });
    let count = 0;

    const profiles = (own: Partial<IndexProfile>) => {
      const id = `portable-${++count}`;
      return [
        sampleProfile({ ...own, id, name: id }),
        sampleProfile({ ...own, id: `${id}-copy`, name: `${id}-copy` }),
      ] as const;
    };

    async function fill(profile: IndexProfile, records: readonly StorableRecord[]): Promise<void> {
      const { engine } = source;
      await engine.createIndex(profile);
      const writer = engine.writer(profile);
      for (let first = 0; first < records.length; first += 500)
        await writer.upsert('', records.slice(first, first + 500));
      await writer.upsert('other', records.slice(0, 1));
      await writer.createNamespace('kept', profile.documents === null ? SCHEMA : null);
      await writer.upsert('kept', records.slice(0, 1));
      await writer.createNamespace('none', null);
    }

    async function exported(profile: IndexProfile) {
      const copy = await source.engine.copies(profile).export({ form: 'portable' });
      const pieces = await Array.fromAsync(copy.bytes, (piece) => Uint8Array.from(piece));
      const sha256 = await copy.sha256;
      await copy.release();
      return { copy, pieces, sha256 };
    }

    for (const [kind, { profile: own, records }] of Object.entries(KINDS))
      it(`restores an index ${kind}, whole, with its namespaces and their schemas`, async () => {
        const [one, other] = profiles(own);
        await fill(one, records);
        const { copy, pieces, sha256 } = await exported(one);
        const details = await target.engine.copies(other).import(from(pieces), { sha256 });
        assert.deepEqual(
          [details.recordCount, details.namespaceCount],
          [copy.recordCount, copy.namespaceCount],
        );
        assert.deepEqual([details.recordCount, details.namespaceCount], [records.length + 2, 4]);
        const restored = target.engine.reader(other);
        await assertSameState(restored, source.engine.reader(one));
        assert.ok((await restored.lsn()) >= details.seq);
        const writer = target.engine.writer(other);
        for (const name of ['kept', 'other']) await writer.deleteIds(name, idsOf(records.slice(0, 1)));
        assert.equal((await restored.describeNamespace('kept'))?.recordCount, 0);
        assert.equal(await restored.describeNamespace('other'), null);
        if (other.documents !== null) {
          const text = term('text', 'apple');
          const query = sampleQuery({ text });
          assert.deepEqual(await restored.query(query), await source.engine.reader(one).query(query));
        }
      });

    it('rejects a copy that is truncated or changed, that has another digest, or is of another shape', async () => {
      const [one, other] = profiles({});
      await fill(one, VECTORS.slice(0, 20));
      const { pieces, sha256 } = await exported(one);
      const whole = Buffer.concat(pieces);
      const { engine } = target;
      const refuses = async (bytes: Uint8Array, reason: CopyFailure, expected = other, digest = sha256) => {
        const imported = engine.copies(expected).import(from([bytes]), { sha256: digest });
        await assert.rejects(imported, (error) => error instanceof CopyFailed && error.reason === reason);
        assert.deepEqual(await engine.sizeOf(expected), { records: 0, bytes: 0 });
      };
      await refuses(whole.subarray(0, -1), 'damaged');
      await refuses(whole.subarray(0, whole.length / 2), 'damaged');
      for (let at = 3; at < whole.length; at += Math.ceil(whole.length / CHANGES)) {
        const changed = Uint8Array.from(whole);
        changed[at] = (changed[at] ?? 0) ^ 4;
        await refuses(changed, 'damaged');
      }
      await refuses(whole, 'damaged', other, '0'.repeat(64));
      await refuses(whole, 'mismatch', { ...other, dimension: 3 });
      await engine.copies(other).import(from([whole]), { sha256 });
      await assert.rejects(engine.copies(other).import(from([whole])), /exists already/);
    });
  });
}

async function* from(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Uint8Array.from(piece);
}
