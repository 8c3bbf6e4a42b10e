// Guarantees of the upgrade of records without checksums: all get them, once, beside other writes and over restarts.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { inTime, until } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { Epochs } from '../memory/epochs.ts';
import { ALL_SUMMED, SUMS_ADDED } from '../storage/integrity/identity.ts';
import { lacksSums, rowSumOf, takeSums } from '../storage/integrity/record-sums.ts';
import { RECORDS as RECORDS_FILE } from '../storage/integrity/sealed-records.ts';
import { rowOfKey } from '../storage/keys.ts';
import { NumberTable } from '../storage/number-table.ts';
import { breakMetaPage } from '../testing/break-meta-page.ts';
import { RandomRecords } from '../testing/random-records.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { type OpenIndex, type OpenOptions, openIndex } from './open-index.ts';

const PROFILE = sampleProfile({ dimension: 4 });
const RECORDS = 2_500;
const HAS_SUMS = 0x80;

function open(
  folder: string,
  options: Pick<OpenOptions, 'onGivenUp' | 'onSumsAdded' | 'sumsAfterMs'>,
): OpenIndex {
  return openIndex(PROFILE, folder, {
    epochs: new Epochs(Epochs.allocate(1)),
    announce: () => {},
    ...options,
  });
}

const LATER = { sumsAfterMs: 1e9 };

/** An index whose records are as 0.1.0 wrote them. */
async function oldIndex(test: TestContext) {
  const folder = tempFolder(test);
  const index = open(folder, LATER);
  const records = new RandomRecords(PROFILE, 45);
  await index.writer.upsert('n', records.records(0, RECORDS));
  stripSums(index);
  await index.close();
  return { folder, records };
}

function stripSums({ files: { store } }: OpenIndex): void {
  const { database } = store.records;
  store.env.transactionSync(() => {
    for (const { key, value } of [...database.getRange({})]) {
      const old = Buffer.from(value.subarray(0, value.length - 8));
      old[0] = (old[0] ?? 0) & ~HAS_SUMS;
      database.putSync(Buffer.from(key), old);
    }
    for (const name of [ALL_SUMMED, SUMS_ADDED]) store.numbers.remove(name);
  });
}

/** How many records lack checksums. Asserts that those of the others are right, of the record and of its row. */
function lacking({ files: { store, rowFile } }: OpenIndex): number {
  store.refresh();
  let count = 0;
  for (const { key, value } of store.records.database.getRange({})) {
    if (lacksSums(value, true)) {
      count++;
      continue;
    }
    const row = rowOfKey(key);
    const sums = takeSums(value, key.readUInt32BE(0), row);
    assert.equal(sums?.rowSum, rowSumOf(new Uint8Array(rowFile?.readRow(row).buffer ?? assert.fail())));
  }
  return count;
}

it('gives every record its checksums and that of its row, changes nothing else, and tells their number once', async (test) => {
  const { folder, records } = await oldIndex(test);
  const told: number[] = [];
  const index = open(folder, { sumsAfterMs: 0, onSumsAdded: (count) => told.push(count) });
  const { namespaceId } = index.files.store.namespaces.get('n') ?? assert.fail();
  const withoutSums = () =>
    [...index.files.store.records.list(namespaceId, 0)].map(({ rowSum: _, ...record }) => record);
  const before = withoutSums();
  assert.equal(lacking(index), RECORDS);
  await until(() => told.length > 0, 'the upgrade');
  assert.deepEqual(told, [RECORDS]);
  assert.equal(lacking(index), 0);
  assert.deepEqual(withoutSums(), before);
  await index.close();

  const again = open(folder, { sumsAfterMs: 0, onSumsAdded: (count) => told.push(count) });
  const lsn = again.writer.lsn();
  await again.writer.upsert('n', records.records(RECORDS, 1));
  assert.equal(again.writer.lsn(), lsn + 1);
  await again.close();
  assert.equal(told.length, 1);
});

it('takes a bounded part of the records in a commit, and lets other writes in between', async (test) => {
  const { folder, records } = await oldIndex(test);
  let isDone = false;
  const index = open(folder, {
    sumsAfterMs: 0,
    onSumsAdded: () => {
      isDone = true;
    },
  });
  let between = 0;
  for (let i = 0; !isDone; i++) {
    // Written again, and new: both while others get their checksums.
    await index.writer.upsert('n', records.records(i % RECORDS, 1));
    if (!isDone && lacking(index) < RECORDS - i - 1) between++;
  }
  assert.ok(between > 0);
  assert.equal(lacking(index), 0);
  assert.equal(index.files.store.namespaces.get('n')?.recordCount, RECORDS);
  await index.close();
});

it('goes on where it was when the index was closed', async (test) => {
  const { folder } = await oldIndex(test);
  const first = open(folder, { sumsAfterMs: 0 });
  await until(() => lacking(first) < RECORDS, 'its first step');
  await first.close();
  const told: number[] = [];
  const second = open(folder, { sumsAfterMs: 0, onSumsAdded: (count) => told.push(count) });
  const left = lacking(second);
  assert.ok(left > 0 && left < RECORDS);
  await until(() => told.length > 0, 'the upgrade');
  assert.deepEqual(told, [RECORDS]);
  assert.equal(lacking(second), 0);
  await second.close();
});

it('tells that the store is given up when its last commit, of an index that is only queried, fails', async (test) => {
  const { folder } = await oldIndex(test);
  const { put } = NumberTable.prototype;
  let isBroken = false;
  const failing = test.mock.method(
    NumberTable.prototype,
    'put',
    function (this: NumberTable, ...given: Parameters<typeof put>) {
      if (given[0] === ALL_SUMMED) isBroken = breakMetaPage(join(folder, RECORDS_FILE));
      return put.apply(this, given);
    },
  );
  const { promise: givenUp, resolve } = Promise.withResolvers<void>();
  const index = open(folder, { sumsAfterMs: 0, onGivenUp: resolve });
  await until(() => failing.mock.calls.some(({ arguments: [name] }) => name === ALL_SUMMED), 'the commit');
  if (!isBroken) test.diagnostic('no FFI');
  else await inTime(givenUp, 'the notice');
  await index.close().catch(() => undefined);
});

it('leaves an index of this release alone', async (test) => {
  const folder = tempFolder(test);
  const index = open(folder, { sumsAfterMs: 0, onSumsAdded: () => assert.fail('there is nothing to do') });
  assert.ok(index.files.store.numbers.has(ALL_SUMMED));
  await index.writer.upsert('n', new RandomRecords(PROFILE, 46).records(0, 10));
  assert.equal(index.writer.lsn(), 1);
  await index.close();
});
