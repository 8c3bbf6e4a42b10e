import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { CommitCount } from '../memory/commit-count.ts';
import { RecordStore, SEQ } from '../storage/record-store.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { LatestStore } from './latest-store.ts';

const NAMES = ['', 'a', 'b'];

function setUp(test: TestContext) {
  const path = join(tempFolder(test), 'records.mdb');
  const writer = new RecordStore(path);
  const commits = CommitCount.allocate();
  const reader = new RecordStore(path);
  test.after(() => Promise.all([reader.close(), writer.close()]));
  const count = new CommitCount(commits);
  const commit = (steps: () => void) => {
    writer.env.transactionSync(steps);
    count.raise();
  };
  return { writer, commit, latest: new LatestStore(reader, new CommitCount(commits)) };
}

function rowOf(namespaceId: number) {
  return { namespaceId, recordCount: namespaceId, sizeBytes: 0, schema: null, isExplicit: true };
}

it('shows every commit made before, whatever is read, and whenever the event loop turns', async (test) => {
  const { writer, commit, latest } = setUp(test);
  const known = new Map<string, number>();
  let seq = 0;
  const name = fc.constantFrom(...NAMES);
  const step = fc.oneof(
    fc.record({ kind: fc.constantFrom('put', 'remove', 'read', 'hold'), name }),
    fc.record({ kind: fc.constant('lsn'), name }),
    fc.record({ kind: fc.constant('turn'), name }),
  );
  const run = async (steps: readonly { readonly kind: string; readonly name: string }[]) => {
    for (const { kind, name } of steps) {
      if (kind === 'put' || kind === 'remove')
        commit(() => {
          writer.numbers.put(SEQ, ++seq);
          if (kind === 'put') writer.namespaces.put(name, rowOf(seq));
          else writer.namespaces.remove(name);
          if (kind === 'put') known.set(name, seq);
          else known.delete(name);
        });
      else if (kind === 'read') assert.equal(latest.namespace(name)?.namespaceId, known.get(name));
      else if (kind === 'hold') latest.hold();
      else if (kind === 'lsn') assert.equal(latest.lsn, seq);
      else await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), run), { numRuns: 60, seed: 40 });
});

it('shows the same after a commit until the store is read anew', (test) => {
  const { writer, commit, latest } = setUp(test);
  commit(() => writer.numbers.put(SEQ, 1));
  latest.hold();
  commit(() => writer.numbers.put(SEQ, 2));
  assert.equal(latest.shown.numbers.get(SEQ), 1);
  assert.equal(latest.lsn, 2);
  assert.equal(latest.shown.numbers.get(SEQ), 2);
});

it('reads any number of namespaces as they are', (test) => {
  const { writer, commit, latest } = setUp(test);
  commit(() => {
    for (let i = 0; i < 200; i++) writer.namespaces.put(`n${i}`, rowOf(i));
  });
  for (const round of [1, 2])
    for (let i = 0; i < 200; i++) assert.equal(latest.namespace(`n${i}`)?.namespaceId, i, `round ${round}`);
});
