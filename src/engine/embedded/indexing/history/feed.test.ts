// Guarantees of following an index: who applies the changes in order has what the index has, however the feed is read.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertFault } from '../../../conformance/harness.ts';
import type { FedChanges, FeedPosition } from '../../../port/index-history.ts';
import { encodeBatch } from '../../storage/history/history-entries.ts';
import type { HistoryBatch } from '../../storage/history/history-table.ts';
import { effort } from '../../testing/effort.ts';
import { HistoryFixture, HOUR_MS, IDS, NAMESPACES, randomWrites } from '../../testing/history-fixture.ts';
import { feedPage } from './feed.ts';

const START: FeedPosition = { lsn: 1, changes: 0 };

/** What follows an index: the ids of each namespace, read again where they change. */
class Follower {
  readonly seen: FedChanges[] = [];
  position = START;
  readonly #fixture: HistoryFixture;
  readonly #namespaces = new Map<string, Map<string, unknown>>();

  constructor(fixture: HistoryFixture) {
    this.#fixture = fixture;
  }

  /** Reads one page. @returns true at the end */
  async read(limit: number, namespace: string | null = null): Promise<boolean> {
    const { history, index } = this.#fixture;
    const page = await history.feed({ after: this.position, namespace, limit });
    assert.ok(page.changes.reduce((sum, { ids }) => sum + Math.max(1, ids.length), 0) <= limit);
    for (const change of page.changes) {
      this.seen.push(change);
      if (change.kind === 'delete-namespace') this.#namespaces.delete(change.namespace);
      if (change.kind === 'create-namespace') this.#namespaces.set(change.namespace, new Map());
      const own = this.#namespaces.get(change.namespace);
      const isFilled = change.cause === 'branch' || change.cause === 'publish';
      const isWhole = change.kind === 'create-namespace' && isFilled;
      const present = await index.reader.fetch(change.namespace, isWhole ? IDS : change.ids);
      for (const id of change.ids) own?.delete(id);
      for (const record of present) own?.set(record.id, record);
    }
    this.position = page.next;
    return page.isEnd;
  }

  records(namespace: string): readonly unknown[] | null {
    const own = this.#namespaces.get(namespace);
    return own === undefined ? null : IDS.flatMap((id) => own.get(id) ?? []);
  }
}

describe('the feed of an index', () => {
  it('leads to its records, through any writes, restarts and sizes of pages', async (test) => {
    await fc.assert(
      fc.asyncProperty(
        randomWrites,
        fc.array(fc.nat(3), { minLength: 14, maxLength: 14 }),
        fc.integer({ min: 1, max: 6 }),
        async (list, pauses, limit) => {
          const fixture = new HistoryFixture(test);
          const follower = new Follower(fixture);
          for (const [i, each] of list.entries()) {
            await fixture.write(each);
            if (pauses[i] === 1) await follower.read(limit);
            if (pauses[i] === 2) await fixture.reopen();
          }
          while (!(await follower.read(limit)));
          for (const name of NAMESPACES)
            assert.deepEqual(follower.records(name), (await fixture.state(name))?.records ?? null);
          const lsns = follower.seen.map(({ lsn }) => lsn);
          assert.deepEqual(
            lsns,
            lsns.toSorted((a, b) => a - b),
          );
          assert.equal(follower.position.lsn, fixture.lsn + 1);
          await fixture.close();
        },
      ),
      { seed: 73, numRuns: effort({ daily: 25, long: 1_000 }) },
    );
  });

  it('says which namespaces began with records, so that who follows reads these whole', async (test) => {
    const fixture = new HistoryFixture(test);
    const follower = new Follower(fixture);
    await fixture.upsert('', 0, 8);
    while (!(await follower.read(3)));
    await fixture.index.writer.branches.create({ source: '', name: 'n', asOf: null });
    await fixture.write({ kind: 'deleteIds', namespace: 'n', ids: ['r1'] });
    await fixture.publish('of-job', IDS);
    while (!(await follower.read(3)));
    for (const name of ['', 'n', 'of-job'])
      assert.deepEqual(follower.records(name), (await fixture.state(name))?.records);
    await fixture.close();
  });

  it('has each change once, in whatever pages it is read, and those of one namespace alone', async (test) => {
    const fixture = new HistoryFixture(test);
    await fixture.upsert('', 0, 5);
    await fixture.upsert('n', 0, 3);
    await fixture.write({ kind: 'deleteIds', namespace: '', ids: ['r0', 'r1'] });
    const idsBy = async (limit: number, namespace: string | null) => {
      const follower = new Follower(fixture);
      while (!(await follower.read(limit, namespace)));
      return follower.seen.flatMap(({ ids }) => ids);
    };
    const whole = await idsBy(1_000, null);
    assert.equal(whole.length, 10);
    for (const limit of [1, 2, 3, 7]) assert.deepEqual(await idsBy(limit, null), whole);
    assert.deepEqual(await idsBy(2, 'n'), await idsBy(1_000, 'n'));
    assert.equal((await idsBy(2, 'n')).length, 3);
    await fixture.close();
  });

  it('refuses a position before what is kept, and one after the last write', async (test) => {
    const fixture = new HistoryFixture(test);
    await fixture.upsert('', 0, 1);
    const feed = (lsn: number) =>
      fixture.history.feed({ after: { lsn, changes: 0 }, namespace: null, limit: 1 });
    await assertFault('invalid-argument', feed(fixture.lsn + 2));
    fixture.now += 25 * HOUR_MS;
    await fixture.upsert('', 0, 1);
    await fixture.upsert('', 1, 1);
    await assertFault('invalid-argument', feed(1));
    assert.equal((await feed(fixture.lsn + 1)).isEnd, true);
    await fixture.close();
  });
});

it('reads few bytes for a page, however large the changes of others are, and goes on behind them', () => {
  const header = {
    kind: 'upsert',
    cause: 'request',
    ms: 0,
    heldBytes: 0,
    count: 1,
    namespace: 'other',
  } as const;
  const batches = Array.from({ length: 40 }, (_, at): HistoryBatch => {
    const own = { ...header, operation: at + 1 };
    return {
      ...{ seq: at + 1, part: 0, namespaceId: 1, header: own },
      value: encodeBatch(own, [Buffer.alloc(2 ** 20)]),
    };
  });
  let read = 0;
  const table = {
    *batches({ after }: { readonly after: number }) {
      for (const batch of batches.slice(after)) {
        read++;
        yield batch;
      }
    },
  };
  let pages = 0;
  for (let after = START, isEnd = false; !isEnd; pages++) {
    const before = read;
    const page = feedPage(table, { fromSeq: 0, toSeq: 40 }, { after, namespace: 'n', limit: 10 });
    assert.ok(read - before <= 9);
    assert.deepEqual(page.changes, []);
    ({ next: after, isEnd } = page);
  }
  assert.equal(pages, 5);
});
