// Guarantee of a store: it has a place for every thread that may be set to search, and for copies and snapshots beside
// them.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { open } from 'lmdb';
import { tempFolder } from '../testing/temp-folder.ts';
import { RecordStore, SEQ } from './record-store.ts';

/** PINYON_SEARCH_THREADS may be 256, each with two scans under way. */
const READERS = 768;
/** What files of 0.1.0 have places for. */
const READERS_BEFORE = 126;

/** Holds so many snapshots at once, each of another commit: they take a place each, as threads do. */
async function hold(store: RecordStore, snapshots: number): Promise<void> {
  const held: { done(): void }[] = [];
  try {
    for (let commit = 1; commit <= snapshots; commit++) {
      store.env.transactionSync(() => store.numbers.put(SEQ, commit));
      store.refresh();
      held.push(store.env.useReadTransaction());
    }
  } finally {
    for (const transaction of held) transaction.done();
  }
}

for (const isOld of [false, true])
  test(`has a place for every reader at once${isOld ? ', also in files of 0.1.0' : ''}`, async (context) => {
    const path = join(tempFolder(context), 'records.mdb');
    if (isOld) await open({ path, noSubdir: true, maxDbs: 24, maxReaders: READERS_BEFORE }).close();
    const store = new RecordStore(path);
    await assert.doesNotReject(hold(store, READERS));
    await store.close();
  });
