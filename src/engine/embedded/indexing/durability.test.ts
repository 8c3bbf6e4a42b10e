// A failed write leaves nothing behind, wherever it fails; what was written survives a restart.

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../../../domain/faults.ts';
import { assertFault } from '../../conformance/harness.ts';
import { outcomeOf, RANDOM_NAMESPACES, randomCase } from '../../conformance/random-operations.ts';
import { dense, EVERYTHING, sampleProfile, sampleQuery } from '../../conformance/sample-data.ts';
import { ReferenceIndex } from '../../reference/reference-index.ts';
import { type InProcessIndex, openInProcess } from '../in-process-index.ts';
import { assertSame } from '../testing/assert-same.ts';
import { RandomRecords } from '../testing/random-records.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { DISK_FULL, failingCommit } from './testing/failing-commit.ts';

const PROFILE = sampleProfile({ metric: 'dotproduct' });

/** Ways for a commit to fail; each answers how to mend it. */
const FAILURES: readonly (readonly [
  name: string,
  breakIt: (index: InProcessIndex, error: Error) => () => void,
])[] = [
  ['writing the rows', ({ parts }, error) => failing(parts.files.rowFile, 'write', error)],
  ['syncing the rows', ({ parts }, error) => failing(parts.files.rowFile, 'sync', error)],
  ['putting a record', ({ parts }, error) => failing(parts.files.store.records, 'put', error)],
  [
    'the last step before the commit',
    ({ parts }, error) => failing(parts.files.store.changes, 'putSync', error),
  ],
  ['the commit itself', failingCommit],
];

function failing<Target extends object>(
  target: Target | null,
  method: keyof Target,
  error: Error,
): () => void {
  assert.ok(target !== null);
  Object.defineProperty(target, method, {
    configurable: true,
    value: () => {
      throw error;
    },
  });
  return () => void Reflect.deleteProperty(target, method);
}

async function filled(test: TestContext, directRecordsMax: number) {
  const folder = tempFolder(test);
  const index = openInProcess(PROFILE, folder, { directRecordsMax });
  const model = new ReferenceIndex(PROFILE);
  const records = new RandomRecords(PROFILE, 41);
  for (const side of [index.writer, model]) await side.createNamespace('kept', null);
  const first = records.records(0, 30);
  await index.writer.upsert('', first);
  await model.upsert('', first);
  // Loads the namespace where it is searched in memory.
  await index.reader.query(records.query());
  return { folder, index, model, records };
}

for (const directRecordsMax of [0, Number.POSITIVE_INFINITY]) {
  const where = directRecordsMax === 0 ? 'in memory' : 'on disk';
  for (const [name, breakIt] of FAILURES) {
    it(`shows nothing of the group ${where} when ${name} fails, and later writes work`, async (test) => {
      const { folder, index, model, records } = await filled(test, directRecordsMax);
      const { reader, writer } = index;
      const lsn = reader.lsn();
      const mend = breakIt(index, DISK_FULL);
      const outcomes = await Promise.allSettled([
        writer.upsert('', [records.record('r1'), records.record('new')]),
        writer.update('', { id: 'r2', values: null, sparse: null, setMetadata: { broken: true } }),
        writer.deleteIds('', ['r3']),
        writer.upsert('other', [records.record('a')]),
      ]);
      for (const outcome of outcomes) {
        assert.ok(outcome.status === 'rejected' && outcome.reason instanceof Fault, JSON.stringify(outcome));
        assert.equal(outcome.reason.condition, 'storage-full');
      }
      assert.equal(reader.lsn(), lsn);
      await assertSame({ actual: reader, model }, records);
      assert.equal(await reader.describeNamespace('other'), null);
      assert.equal((await reader.indexedFields('')).includes('broken'), false);
      mend();

      const later = [records.record('r1'), records.record('later')];
      for (const side of [writer, model]) {
        await side.upsert('', later);
        await side.update('', { id: 'r2', values: null, sparse: null, setMetadata: { broken: true } });
        await side.deleteIds('', ['r4']);
      }
      await assertSame({ actual: reader, model }, records);
      assert.ok((await reader.indexedFields('')).includes('broken'));
      await index.close();
      const again = openInProcess(PROFILE, folder, { directRecordsMax });
      await assertSame({ actual: again.reader, model }, records);
      await again.close();
    });
  }
}

it('fails only the write that throws an error other than a disk error', async (test) => {
  const { index, model, records } = await filled(test, 0);
  const { rowFile } = index.parts.files;
  assert.ok(rowFile !== null);
  const original = rowFile.write.bind(rowFile);
  Object.defineProperty(rowFile, 'write', {
    value: (rows: readonly number[], vectors: readonly Float32Array[]) => {
      if (vectors.some((vector) => vector[0] === 666)) throw new TypeError('broken');
      original(rows, vectors);
    },
  });
  const good = [records.record('good')];
  const outcomes = await Promise.allSettled([
    index.writer.upsert('', good),
    index.writer.upsert('', [dense('bad', [666, 0, 0, 0])]),
    index.writer.deleteIds('', ['r5']),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  await model.upsert('', good);
  await model.deleteIds('', ['r5']);
  await assertSame({ actual: index.reader, model }, records);
  await index.close();
});

it('keeps the change log short, after failed commits too', async (test) => {
  const { index, records } = await filled(test, 0);
  const { changes } = index.parts.files.store;
  for (let i = 0; i < 30; i++) {
    const mend = i % 3 === 0 ? failingCommit(index) : () => {};
    await index.writer.upsert('', records.records(i, 3)).catch(() => {});
    mend();
  }
  assert.ok(changes.getKeysCount() <= 2, `${changes.getKeysCount()} entries`);
  await index.close();
});

it('keeps acknowledged writes over a restart, refused ones not, and continues their numbers', async (test) => {
  const folder = tempFolder(test);
  const index = openInProcess(PROFILE, folder);
  const lsn = await index.writer.upsert('n', [dense('a', [1, 2, 3, 4])]);
  await assertFault('namespace-not-found', index.writer.deleteIds('none', ['a']));
  await index.close();
  const again = openInProcess(PROFILE, folder);
  assert.ok((await again.reader.lsn()) >= lsn);
  assert.deepEqual(
    (await again.reader.fetch('n', ['a'])).map(({ id }) => id),
    ['a'],
  );
  assert.ok((await again.writer.upsert('n', [dense('b', [1, 2, 3, 4])])) > lsn);
  await again.close();
});

it('carries out writes that wait when the index closes', async (test) => {
  const folder = tempFolder(test);
  const index = openInProcess(PROFILE, folder);
  const writes = Array.from({ length: 150 }, (_, i) =>
    index.writer.upsert('', [dense(`${i}`, [1, 2, 3, i])]),
  );
  const [, ...lsns] = await Promise.all([index.close(), ...writes]);
  assert.equal(new Set(lsns).size, 150);
  const again = openInProcess(PROFILE, folder);
  assert.equal((await again.reader.describeNamespace(''))?.recordCount, 150);
  await again.close();
});

it('looks the same after a restart anywhere in a sequence of writes', async (test) => {
  const folder = tempFolder(test);
  let folders = 0;
  const cases = fc.tuple(randomCase, fc.array(fc.boolean(), { minLength: 16, maxLength: 16 }));
  const property = fc.asyncProperty(cases, async ([{ profile, operations, queries, filters }, reopen]) => {
    const place = `${folder}/${folders++}`;
    const model = new ReferenceIndex(profile);
    let index = openInProcess(profile, place, { directRecordsMax: 0 });
    for (const [i, operation] of operations.entries()) {
      assert.deepEqual(await outcomeOf(index.writer, operation), await outcomeOf(model, operation));
      if (reopen[i] !== true) continue;
      await index.close();
      index = openInProcess(profile, place, { directRecordsMax: 0 });
    }
    await index.close();
    index = openInProcess(profile, place, { directRecordsMax: 0 });
    const all = { prefix: '', limit: 100, after: null };
    const summary = ({
      name,
      recordCount,
      schema,
    }: {
      name: string;
      recordCount: number;
      schema: unknown;
    }) => ({ name, recordCount, schema });
    const shown = await index.reader.listNamespaces(all);
    assert.deepEqual(shown.items.map(summary), (await model.listNamespaces(all)).items.map(summary));
    for (const namespace of RANDOM_NAMESPACES) {
      const list = { ...all, namespace };
      const ids = await model.listIds(list);
      assert.deepEqual(await index.reader.listIds(list), ids);
      assert.deepEqual(
        await index.reader.fetch(namespace, ids.items),
        await model.fetch(namespace, ids.items),
      );
      for (const filter of [EVERYTHING, ...filters])
        assert.equal(await index.reader.count(namespace, filter), await model.count(namespace, filter));
      for (const vectors of queries) {
        const request = sampleQuery({ ...vectors, namespace, topK: 9 });
        const scores = async (side: ReferenceIndex | InProcessIndex['reader']) =>
          (await side.query(request)).map(({ score }) => score.toFixed(4));
        assert.deepEqual(await scores(index.reader), await scores(model));
      }
    }
    await index.close();
  });
  await fc.assert(property, { seed: 42, numRuns: 12 });
});
