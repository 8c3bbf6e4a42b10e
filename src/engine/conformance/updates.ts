// Conformance: updates by id and by filter.
import assert from 'node:assert/strict';
import { METADATA_BYTES_MAX } from '../../domain/limits.ts';
import { assertFault, assertScores, type Check, DRAMA, HYBRID, listAll, unchanged } from './harness.ts';
import { readable } from './same-records.ts';
import { dense, EVERYTHING, sparseOf, where } from './sample-data.ts';

const AFTER_2019 = where('year', { op: 'compare', relation: 'gt', bound: 2019 });

export function updates(check: Check): void {
  const start = { ...dense('a', [1, 0, 0, 0], { genre: 'drama', year: 2020 }), sparse: sparseOf([[1, 1]]) };
  check('replaces vectors and merges metadata field by field', HYBRID, async ({ reader, writer }) => {
    await writer.upsert('', [start]);
    await writer.update('', {
      ...unchanged('a'),
      values: Float32Array.of(0, 2, 0, 0),
      setMetadata: { year: 1999, seen: true },
    });
    const merged = {
      ...dense('a', [0, 2, 0, 0], { genre: 'drama', year: 1999, seen: true }),
      sparse: start.sparse,
    };
    assert.deepEqual((await reader.fetch('', ['a'])).map(readable), [readable(merged)]);
    await writer.update('', { ...unchanged('a'), sparse: sparseOf([[8, 3]]) });
    assert.deepEqual((await reader.fetch('', ['a'])).map(readable), [
      readable({ ...merged, sparse: sparseOf([[8, 3]]) }),
    ]);
    await assertScores(reader, { values: Float32Array.of(0, 1, 0, 0), sparse: sparseOf([[8, 1]]) }, [
      ['a', 5],
    ]);
  });
  check('has no effect for an unknown id or namespace', {}, async ({ reader, writer }) => {
    await writer.upsert('', [dense('a', [1, 0, 0, 0])]);
    await writer.update('', { ...unchanged('b'), setMetadata: { n: 1 } });
    await writer.update('none', { ...unchanged('a'), setMetadata: { n: 1 } });
    assert.deepEqual((await listAll(reader, '')).items, ['a']);
    assert.equal(await reader.describeNamespace('none'), null);
  });
  check('rejects merged metadata over the limit and changes nothing', {}, async ({ reader, writer }) => {
    const half = 'x'.repeat(METADATA_BYTES_MAX / 2);
    await writer.upsert('', [dense('a', [1, 0, 0, 0], { one: half })]);
    const change = { setMetadata: { two: half } };
    await assertFault('metadata-too-big', writer.update('', { ...unchanged('a'), ...change }));
    await assertFault(
      'metadata-too-big',
      writer.updateByFilter('', { ...change, filter: EVERYTHING, recordsMax: 10 }),
    );
    assert.equal(await reader.count('', where('two', { op: 'exists', present: true })), 0);
  });
}

export function updatesByFilter(check: Check): void {
  const three = ['a', 'b', 'c'].map((id, i) => dense(id, [1, i, 0, 0], { genre: 'drama', year: 2018 + i }));
  check('merges into every matching record and counts them', {}, async ({ reader, writer }) => {
    await writer.upsert('', [...three, dense('d', [1, 0, 0, 0])]);
    const { matched, lsn } = await writer.updateByFilter('', {
      filter: AFTER_2019,
      setMetadata: { genre: 'noir' },
      recordsMax: 10,
    });
    assert.ok(matched === 1 && (await reader.lsn()) >= lsn);
    assert.deepEqual((await reader.fetch('', ['c'])).map(readable), [
      readable(dense('c', [1, 2, 0, 0], { genre: 'noir', year: 2020 })),
    ]);
    assert.equal(await reader.count('', DRAMA), 2);
  });
  check('changes at most recordsMax records', {}, async ({ reader, writer }) => {
    await writer.upsert('', three);
    const { matched } = await writer.updateByFilter('', {
      filter: DRAMA,
      setMetadata: { seen: true },
      recordsMax: 2,
    });
    assert.equal(matched, 2);
    assert.equal(await reader.count('', where('seen', { op: 'exists', present: true })), 2);
  });
  check(
    'counts the matches and changes nothing when there is nothing to set',
    {},
    async ({ reader, writer }) => {
      await writer.upsert('', [...three, dense('d', [1, 0, 0, 0])]);
      const { matched } = await writer.updateByFilter('', {
        filter: EVERYTHING,
        setMetadata: {},
        recordsMax: 10,
      });
      assert.equal(matched, 4);
      assert.equal((await reader.fetch('', ['d']))[0]?.metadataJson, null);
      assert.equal(
        (await writer.updateByFilter('none', { filter: DRAMA, setMetadata: {}, recordsMax: 1 })).matched,
        0,
      );
    },
  );
}
