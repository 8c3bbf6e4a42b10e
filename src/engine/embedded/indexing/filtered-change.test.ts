// Tests changes by filter: in steps, by the columns where they are in memory, and all or nothing where they are refused.
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { parseFilter } from '../../../domain/filter/parse-filter.ts';
import { METADATA_BYTES_MAX } from '../../../domain/limits.ts';
import { until, untilTurn } from '../../../platform/testing/until.ts';
import { dense, sampleProfile } from '../../conformance/sample-data.ts';
import { Epochs } from '../memory/epochs.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import type { Turns } from './commit-queue.ts';
import { type OpenIndex, openIndex } from './open-index.ts';

const PROFILE = sampleProfile();
const RECORDS = 400;
const NAMESPACE_ID = 1;

const onNextTurn = (turn: () => void): void => void setImmediate(turn);

/** An index with records, a tenth of which have the group 0; each look at the clock takes a millisecond. */
async function setUp(
  test: TestContext,
  { folder = join(tempFolder(test), 'index'), take = onNextTurn, closesAfter = true } = {},
): Promise<OpenIndex> {
  let nowMs = 0;
  const turns: Turns = { take, msMax: () => 3, now: () => nowMs++ };
  const options = { epochs: new Epochs(Epochs.allocate(1)), announce: () => undefined, turns };
  const index = openIndex(PROFILE, folder, options);
  if (closesAfter) test.after(() => index.close());
  const records = Array.from({ length: RECORDS }, (_, i) =>
    dense(`r${i}`, [1, i, 0, 0], { group: i % 10, color: i % 2 === 0 ? 'red' : 'blue' }),
  );
  await index.writer.upsert('', records);
  return index;
}

async function load(index: OpenIndex): Promise<void> {
  index.loaded.load(NAMESPACE_ID, null, RECORDS);
  await index.loaded.settled();
}

function countReads({ files }: OpenIndex): { listed: number; read: number } {
  const { records } = files.store;
  const counts = { listed: 0, read: 0 };
  const get = records.get.bind(records);
  const list = records.list.bind(records);
  records.get = (...args) => {
    counts.read++;
    return get(...args);
  };
  records.list = function* (...args) {
    for (const record of list(...args)) {
      counts.listed++;
      yield record;
    }
  };
  return counts;
}

const groupsLeft = ({ files }: OpenIndex): Set<unknown> => {
  files.store.refresh();
  const metadata = [...files.store.records.list(NAMESPACE_ID, 0)].map(({ metadataJson }) => metadataJson);
  return new Set(metadata.map((json) => JSON.parse(json ?? '{}').group));
};

for (const isLoaded of [true, false]) {
  const where = isLoaded ? 'in memory' : 'on disk only';
  it(`deletes by filter in many commits, and nothing else, ${where}`, async (test) => {
    const index = await setUp(test);
    if (isLoaded) await load(index);
    const before = index.writer.lsn();
    const { matched, lsn } = await index.writer.deleteByFilter('', parseFilter({ color: 'red' }));
    assert.equal(matched, RECORDS / 2);
    assert.ok(lsn - before > 2, `${lsn - before} commits`);
    assert.deepEqual(groupsLeft(index), new Set([1, 3, 5, 7, 9]));
    await index.writer.deleteByFilter('', parseFilter({ color: 'blue' }));
    assert.equal(index.files.store.namespaces.get(''), null, 'the last step drops the namespace');
  });
}

for (const isLoaded of [true, false]) {
  const where = isLoaded ? 'in memory' : 'on disk only';
  it(`lets other writes of the index come in between, and acts on what they leave, ${where}`, async (test) => {
    const index = await setUp(test);
    if (isLoaded) await load(index);
    const ended: string[] = [];
    const deletion = index.writer.deleteByFilter('', parseFilter({ color: 'red' })).then((deleted) => {
      ended.push('deletion');
      return deleted;
    });
    // Each write begins when the one before is answered, and so between steps of the deletion.
    const last = RECORDS - 2;
    const moved = dense(`r${last}`, [2, 2, 0, 0], { group: 8, color: 'red' });
    await index.writer.upsert('', [moved]);
    await index.writer.upsert('', [dense(`r${last - 2}`, [2, 2, 0, 0], { group: 6, color: 'green' })]);
    await index.writer.update('', {
      id: `r${last - 4}`,
      values: null,
      sparse: null,
      setMetadata: { color: 'blue' },
    });
    await index.writer.upsert('', [moved]);
    ended.push('others');
    const { matched } = await deletion;
    assert.deepEqual(ended, ['others', 'deletion']);
    assert.ok(matched >= RECORDS / 2 - 2, `${matched} deleted`);
    const ids = new Set(
      [...index.files.store.records.list(NAMESPACE_ID, 0)].map(({ id }) => Number(id.slice(1))),
    );
    for (let i = 0; i < RECORDS; i++) {
      const isLeft = i % 2 === 1 || i === last - 2 || i === last - 4;
      assert.equal(ids.has(i), isLeft, `r${i}`);
    }
    assert.equal(index.files.store.namespaces.get('')?.recordCount, ids.size);
  });
}

it('ends a change by filter whose namespace is deleted meanwhile', async (test) => {
  const index = await setUp(test);
  const change = { filter: parseFilter({ color: 'red' }), setMetadata: { seen: true }, recordsMax: RECORDS };
  const update = index.writer.updateByFilter('', change);
  await index.writer.deleteNamespace('');
  await index.writer.upsert('', [dense('new', [1, 0, 0, 0], { color: 'red' })]);
  assert.ok((await update).matched < RECORDS / 2);
});

it('stores the records of a job in steps, between which others write', async (test) => {
  const index = await setUp(test);
  const ended: string[] = [];
  const records = Array.from({ length: RECORDS }, (_, i) => dense(`job${i}`, [1, i, 0, 0], { group: 0 }));
  const stored = index.writer.bulk.store('job', records).then(() => ended.push('job'));
  await index.writer.upsert('', [dense('other', [1, 0, 0, 0], {})]);
  ended.push('other');
  await stored;
  assert.deepEqual(ended, ['other', 'job']);
  assert.equal(index.files.store.namespaces.get('job')?.recordCount, RECORDS);
});

it('reads only the records that match where the columns are in memory', async (test) => {
  const index = await setUp(test);
  await load(index);
  const counts = countReads(index);
  const filter = parseFilter({ group: { $eq: 0 } });
  await index.writer.updateByFilter('', { filter, setMetadata: { seen: true }, recordsMax: RECORDS });
  await index.writer.deleteByFilter('', filter);
  assert.equal(counts.listed, 0);
  assert.ok(counts.read <= 2 * (RECORDS / 10), `${counts.read} records read`);
});

it('sees what earlier writes changed, and leaves records beyond the limit as they are', async (test) => {
  const index = await setUp(test);
  await load(index);
  const red = parseFilter({ color: 'red' });
  const change = { filter: red, setMetadata: { color: 'green' } };
  const [first, second] = await Promise.all([
    index.writer.updateByFilter('', { ...change, recordsMax: 50 }),
    index.writer.updateByFilter('', { ...change, recordsMax: RECORDS }),
  ]);
  assert.deepEqual([first.matched, second.matched], [50, RECORDS / 2 - 50]);
  const { matched } = await index.writer.deleteByFilter('', parseFilter({ color: 'green' }));
  assert.equal(matched, RECORDS / 2);
});

it('changes nothing when the last matching record would grow too large', async (test) => {
  const index = await setUp(test);
  const half = 'x'.repeat(METADATA_BYTES_MAX / 2);
  await index.writer.upsert('', [dense('large', [1, 0, 0, 0], { color: 'red', half })]);
  await load(index);
  const before = index.writer.lsn();
  const change = { filter: parseFilter({ color: 'red' }), recordsMax: 1_000 };
  await assert.rejects(index.writer.updateByFilter('', { ...change, setMetadata: { other: half } }), {
    condition: 'metadata-too-big',
  });
  assert.equal(index.writer.lsn(), before);
});

it('leaves whole records, counted right, when the process dies between two steps', async (test) => {
  const folder = join(tempFolder(test), 'index');
  const later: (() => void)[] = [];
  let turns = Number.POSITIVE_INFINITY;
  const take = (turn: () => void) => (turns-- > 0 ? onNextTurn(turn) : void later.push(turn));
  const index = await setUp(test, { folder, take });
  await load(index);
  turns = 3;
  const change = index.writer.deleteByFilter('', parseFilter({ color: 'red' }));
  await Promise.race([change, until(() => later.length > 0, 'the turn')]);
  const copy = join(tempFolder(test), 'copy');
  cpSync(folder, copy, { recursive: true });

  const reopened = openIndex(PROFILE, copy, {
    epochs: new Epochs(Epochs.allocate(1)),
    announce: () => undefined,
    isNew: false,
  });
  const { namespaces, records } = reopened.files.store;
  const left = [...records.list(NAMESPACE_ID, 0)];
  assert.ok(left.length > RECORDS / 2 && left.length < RECORDS, `${left.length} left`);
  assert.equal(namespaces.get('')?.recordCount, left.length);
  for (const { id, row } of left) assert.equal(records.rowOfId(NAMESPACE_ID, id), row);
  const { matched } = await reopened.writer.deleteByFilter('', parseFilter({ color: 'red' }));
  assert.equal(matched, left.length - RECORDS / 2, 'the same request again does the rest');
  await reopened.close();

  turns = Number.POSITIVE_INFINITY;
  for (const turn of later.splice(0)) turn();
  await change;
});

it('writes nothing for a change of nothing, which only counts', async (test) => {
  const index = await setUp(test);
  const versions = () => {
    index.files.store.refresh();
    return [...index.files.store.records.list(NAMESPACE_ID, 0)].map(({ id, seq }) => [id, seq]);
  };
  const before = versions();
  const change = { filter: parseFilter({ color: 'red' }), setMetadata: {}, recordsMax: RECORDS };
  assert.equal((await index.writer.updateByFilter('', change)).matched, RECORDS / 2);
  assert.deepEqual(versions(), before);
});

it('leaves a record that another write makes too large between two steps as it was written', async (test) => {
  const index = await setUp(test);
  const half = 'x'.repeat(METADATA_BYTES_MAX / 2);
  const change = { filter: parseFilter({ color: 'red' }), setMetadata: { half }, recordsMax: RECORDS };
  const last = `r${RECORDS - 2}`;
  await load(index);
  const before = index.writer.lsn();
  const update = index.writer.updateByFilter('', change);
  // All records are checked before the first step.
  await untilTurn(() => index.writer.lsn() > before, 'the first step');
  await index.writer.upsert('', [dense(last, [1, 0, 0, 0], { color: 'red', large: half })]);
  const { matched } = await update;
  assert.equal(matched, RECORDS / 2 - 1);
  index.files.store.refresh();
  const stored = [...index.files.store.records.list(NAMESPACE_ID, 0)].find(({ id }) => id === last);
  assert.equal(stored?.metadataJson?.includes('"half"'), false);
});

it('leaves a record of a branch that another write makes too large between two steps as it was written', async (test) => {
  const index = await setUp(test);
  await index.writer.branches.create({ name: 'branch', source: '', asOf: null });
  const half = 'x'.repeat(METADATA_BYTES_MAX / 2);
  const change = { filter: parseFilter({ color: 'red' }), setMetadata: { half }, recordsMax: RECORDS };
  const before = index.writer.lsn();
  const update = index.writer.updateByFilter('branch', change);
  await untilTurn(() => index.writer.lsn() > before, 'the first step');
  // The last one in the order of ids.
  await index.writer.upsert('branch', [dense('r98', [1, 0, 0, 0], { color: 'red', large: half })]);
  const { matched } = await update;
  assert.equal(matched, RECORDS / 2 - 1);
  const { store } = index.files;
  store.refresh();
  const stored = [...store.records.list(store.namespaces.get('branch')?.namespaceId ?? 0, 0)];
  assert.equal(stored.length, RECORDS / 2);
  for (const { id, metadataJson } of stored) assert.equal(metadataJson?.includes('"half"'), id !== 'r98', id);
});

it('closes an index without waiting for a change of many records, which ends partly done', async (test) => {
  const folder = join(tempFolder(test), 'index');
  const index = await setUp(test, { folder, closesAfter: false });
  const before = index.writer.lsn();
  const change = index.writer.deleteByFilter('', parseFilter({ color: 'red' }));
  const rejected = assert.rejects(change, { condition: 'interrupted', status: 503 });
  await untilTurn(() => index.writer.lsn() > before, 'the first step');
  await index.close();
  await rejected;
  const again = openIndex(PROFILE, folder, {
    epochs: new Epochs(Epochs.allocate(1)),
    announce: () => undefined,
  });
  test.after(() => again.close());
  const left = again.files.store.namespaces.get('')?.recordCount ?? 0;
  assert.ok(left > RECORDS / 2 && left < RECORDS, String(left));
});
