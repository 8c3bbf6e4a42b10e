// Tests the read queue: it keeps the order, never overloads a reader, and loses or duplicates no slot.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../../../domain/faults.ts';
import { READS_AT_ONCE_MAX, ReadQueue } from './read-queue.ts';
import type { ShareName } from './share-table.ts';

const READERS: readonly string[] = ['a', 'b', 'c'];

/** The share of a caller on an index of its own, or on the index before a slash. */
function nameOf(share: string): ShareName {
  const [indexId = '', caller = ''] = share.split('/');
  return { indexId, caller };
}

/** A read queue, and the state of its reads. */
class QueueFixture {
  readonly queue: ReadQueue<string>;
  readonly begun: number[] = [];
  readonly running: {
    readonly reader: string;
    hasLeft: boolean;
    leave(): void;
    end(failed: boolean): void;
  }[] = [];
  arrived = 0;
  refused = 0;
  ended = 0;

  constructor(waitingMax: number) {
    this.queue = new ReadQueue(READERS, { waitingMax, suspendedMax: 100, now: () => 0 });
  }

  arrive(): void {
    const number = this.arrived++;
    const read = this.queue.run(nameOf('one'), async (reader, leave) => {
      this.begun.push(number);
      const work = Promise.withResolvers<void>();
      const end = (failed: boolean) => (failed ? work.reject(new Error('failed')) : work.resolve());
      this.running.push({ reader, hasLeft: false, leave, end });
      await work.promise;
    });
    read.then(
      () => this.ended++,
      (error: unknown) => {
        if (error instanceof Fault && error.condition === 'overloaded') this.refused++;
        else this.ended++;
      },
    );
  }

  /** Number of reads that occupy a slot of the reader. */
  at(reader: string): number {
    return this.running.filter((read) => read.reader === reader && !read.hasLeft).length;
  }
}

it('starts reads in order of arrival, up to the number of slots, whatever ends, fails or is aborted early', async () => {
  const step = fc.tuple(fc.constantFrom('arrive', 'arrive', 'end', 'fail', 'leave'), fc.nat(100));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), fc.nat(6), async (steps, waitingMax) => {
      const fixture = new QueueFixture(waitingMax);
      const model = { waiting: 0, begun: 0, refused: 0 };
      const slots = READERS.length * READS_AT_ONCE_MAX;
      for (const [kind, pick] of steps) {
        const held = fixture.running.filter(({ hasLeft }) => !hasLeft).length;
        const at = pick % Math.max(1, fixture.running.length);
        const read = fixture.running[at];
        if (kind === 'arrive') {
          if (held < slots) model.begun++;
          else if (model.waiting < waitingMax) model.waiting++;
          else model.refused++;
          fixture.arrive();
        } else if (read !== undefined) {
          if (!read.hasLeft && model.waiting > 0) {
            model.waiting--;
            model.begun++;
          }
          if (kind === 'leave') {
            read.leave();
            // Leaving twice has no further effect.
            read.leave();
            read.hasLeft = true;
          } else {
            read.end(kind === 'fail');
            fixture.running.splice(at, 1);
          }
        }
        await new Promise(setImmediate);
        assert.deepEqual(
          { waiting: fixture.queue.waiting, begun: fixture.begun.length, refused: fixture.refused },
          model,
        );
        for (const reader of READERS) assert.ok(fixture.at(reader) <= READS_AT_ONCE_MAX);
      }
      assert.deepEqual(
        fixture.begun,
        fixture.begun.toSorted((one, other) => one - other),
      );
    }),
    { seed: 20_260_102, numRuns: 100 },
  );
});

it('starts the read of one more caller than are remembered, while all others have reads that wait', async () => {
  const { arrive, end, sharesRunning, queue } = clockedQueue(['only'], { waitingMax: 10_000 });
  const CALLERS = 1_100;
  for (let i = 0; i < CALLERS; i++) arrive(`index-${i}`);
  const served = new Set<string>();
  while (sharesRunning() !== '') {
    const [next = ''] = sharesRunning().split(' ');
    served.add(next);
    // So short that none waits too long.
    await end(next, 0.1);
  }
  assert.equal(served.size, CALLERS);
  assert.equal(queue.waiting, 0);
});

it('sends a read to the reader with the fewest', async () => {
  const queue = new ReadQueue(READERS, { waitingMax: 0 });
  const seen: string[] = [];
  for (let i = 0; i < READERS.length; i++) {
    void queue.run(nameOf('one'), (reader) => {
      seen.push(reader);
      return new Promise(() => {});
    });
  }
  assert.deepEqual(seen, READERS);
});

/** A queue with a clock of its own, and the reads that have begun, each of which lasts until it is ended. */
function clockedQueue(readers: readonly string[], options: { readonly waitingMax?: number } = {}) {
  let nowMs = 0;
  const queue = new ReadQueue(readers, { waitingMax: 100, ageMsMax: 1_000, ...options, now: () => nowMs });
  const running: { readonly share: string; readonly reader: string; readonly end: () => void }[] = [];
  const refused: { readonly share: string; readonly seconds: number | undefined }[] = [];
  const arrive = (share: string, count = 1, guessMs?: number, isTelling?: () => boolean) => {
    for (let i = 0; i < count; i++) {
      queue
        .run({ ...nameOf(share), guessMs, isTelling }, async (reader) => {
          const { promise, resolve } = Promise.withResolvers<void>();
          running.push({ share, reader, end: resolve });
          await promise;
        })
        .catch((error: unknown) => {
          assert.ok(error instanceof Fault && error.condition === 'overloaded');
          refused.push({ share, seconds: error.retryAfterSeconds });
        });
    }
  };
  /** Ends the oldest running read of a share after so long. */
  const end = async (share: string, ms: number) => {
    nowMs += ms;
    const at = running.findIndex((read) => read.share === share);
    running.splice(at, 1)[0]?.end();
    await new Promise(setImmediate);
  };
  const pass = (ms: number) => {
    nowMs += ms;
  };
  const sharesRunning = () => running.map(({ share }) => share).join(' ');
  return { queue, arrive, end, pass, refused, sharesRunning };
}

it('serves whoever has used least thread time first, however many reads another has waiting', async () => {
  const { arrive, end, sharesRunning } = clockedQueue(['only']);
  arrive('hog', 20);
  await end('hog', 100);
  await end('hog', 100);
  assert.equal(sharesRunning(), 'hog');
  arrive('victim', 2);
  await end('hog', 100);
  assert.equal(sharesRunning(), 'victim');
  await end('victim', 1);
  assert.equal(sharesRunning(), 'victim');
  await end('victim', 1);
  assert.equal(sharesRunning(), 'hog');
});

it('shares thread time, not numbers of reads, among those who always want more', async () => {
  const { arrive, end, sharesRunning } = clockedQueue(['only']);
  arrive('long', 30);
  arrive('short', 90);
  const served = { long: 0, short: 0 };
  for (let i = 0; i < 44; i++) {
    const share = sharesRunning().split(' ')[0] === 'long' ? 'long' : 'short';
    served[share] += 1;
    await end(share, share === 'long' ? 100 : 12);
  }
  const ratio = (served.long * 100) / (served.short * 12);
  assert.ok(ratio > 0.5 && ratio < 2, JSON.stringify(served));
});

it('leaves a reader to short reads while long ones of another wait, and uses all when nobody else was here', async () => {
  const { arrive, end, pass, sharesRunning } = clockedQueue(['a', 'b']);
  arrive('hog', 8);
  for (let i = 0; i < 4; i++) await end('hog', 100);
  assert.equal(sharesRunning(), 'hog hog');
  arrive('victim');
  await end('hog', 100);
  assert.equal(sharesRunning(), 'hog victim');
  await end('victim', 1);
  assert.equal(sharesRunning(), 'hog');
  pass(10_000);
  arrive('hog');
  await new Promise(setImmediate);
  assert.equal(sharesRunning(), 'hog hog');
});

it('counts a hundred callers of another index as one, however slow the machine makes the reads of all', async () => {
  const { arrive, end, sharesRunning } = clockedQueue(['only']);
  arrive('victim/key');
  await end('victim/key', 20);
  for (let i = 0; i < 101; i++) arrive(`hog/${i}`);
  // Nothing is known of the first one.
  await end('hog/0', 50);
  for (let turn = 0; turn < 20; turn++) {
    arrive('victim/key');
    await end(sharesRunning(), 50);
    assert.equal(sharesRunning(), 'victim/key', `turn ${turn}`);
    await end('victim/key', 20);
  }
});

it('has short reads wait for no long one where a slow machine makes them seem long', async () => {
  const { arrive, end, sharesRunning } = clockedQueue(['a', 'b']);
  arrive('victim/key');
  await end('victim/key', 15);
  arrive('hog/0');
  await end('hog/0', 400);
  for (let i = 1; i < 50; i++) arrive(`hog/${i}`);
  for (let i = 0; i < 10; i++) {
    arrive('victim/key');
    assert.ok(sharesRunning().includes('victim'), sharesRunning());
    await end('victim/key', 15);
  }
});

it('keeps a reader for short reads when the first reads of an index come from many', async () => {
  const { arrive, end, sharesRunning } = clockedQueue(['a', 'b']);
  arrive('victim/key');
  await end('victim/key', 1);
  for (let i = 0; i < 50; i++) arrive(`hog/${i}`);
  assert.equal(sharesRunning(), 'hog/0');
  arrive('victim/key');
  assert.equal(sharesRunning(), 'hog/0 victim/key');
});

it('serves short reads of a known caller before the first ones of new callers that ask for much', async () => {
  const { arrive, end, sharesRunning } = clockedQueue(['only']);
  for (let i = 0; i < 5; i++) {
    arrive('index/victim');
    await end('index/victim', 2);
  }
  for (let i = 0; i < 60; i++) arrive(`index/hog-${i}`, 1, 150);
  let waits = 0;
  for (let i = 0; i < 40; i++) {
    arrive('index/victim');
    // A thread has the victim's read for itself: none is before it.
    while (sharesRunning() !== 'index/victim') {
      await end(sharesRunning().split(' ')[0] ?? '', 150);
      waits++;
    }
    await end('index/victim', 2);
  }
  // Each waits for the one that is running, and no more.
  assert.ok(waits <= 41, String(waits));
});

it('leaves a reader to short reads beside new callers of a busy index that ask for much', async () => {
  const { arrive, end, sharesRunning } = clockedQueue(['a', 'b']);
  for (const share of ['index/victim', 'index/other']) {
    arrive(share);
    await end(share, 1);
  }
  for (let i = 0; i < 60; i++) arrive(`index/hog-${i}`, 1, 150);
  assert.equal(sharesRunning(), 'index/hog-0');
  arrive('index/victim');
  assert.equal(sharesRunning(), 'index/hog-0 index/victim');
});

for (const { before, guessMs, isTelling } of [
  { before: 'short reads', guessMs: undefined, isTelling: undefined },
  { before: 'refused ones that asked for as much', guessMs: 150, isTelling: () => false },
])
  it(`leaves a reader to short reads beside callers who have sent ${before} and now ask for much`, async () => {
    const { arrive, end, sharesRunning } = clockedQueue(['a', 'b']);
    for (let i = 0; i < 60; i++) {
      arrive(`crowd/hog-${i}`, 1, guessMs, isTelling);
      await end(`crowd/hog-${i}`, 1);
    }
    arrive('victim/key');
    await end('victim/key', 1);
    for (let i = 0; i < 60; i++) arrive(`crowd/hog-${i}`, 1, 150);
    assert.equal(sharesRunning(), 'crowd/hog-0');
    arrive('victim/key');
    assert.equal(sharesRunning(), 'crowd/hog-0 victim/key');
  });

it('serves the first read of a new caller before the next ones of those that read much', async () => {
  const { arrive, end, sharesRunning } = clockedQueue(['only']);
  for (let i = 0; i < 50; i++) arrive(`hog/${i}`);
  for (let i = 0; i < 60; i++) {
    const running = sharesRunning();
    await end(running, 100);
    arrive(running);
  }
  arrive('hog/new');
  await end(sharesRunning(), 100);
  assert.equal(sharesRunning(), 'hog/new');
});

it('begins no more reads of an index while many of its reads wait for a load, and those of others', async () => {
  const queue = new ReadQueue(['only'], { waitingMax: 100, suspendedMax: 3 });
  const ends: (() => void)[] = [];
  let begun = 0;
  const loading = () =>
    queue.run(nameOf('cold'), async (_, leave) => {
      begun++;
      leave();
      await new Promise<void>((resolve) => void ends.push(resolve));
    });
  const all = Array.from({ length: 10 }, loading);
  await new Promise(setImmediate);
  assert.equal(begun, 3);
  assert.equal(await queue.run(nameOf('other'), async () => 'answered'), 'answered');
  while (ends.length > 0) {
    ends.shift()?.();
    await new Promise(setImmediate);
  }
  await Promise.all(all);
  assert.deepEqual([begun, queue.waiting], [10, 0]);
});

it('drops reads that nobody waits for any more when their turn comes', async () => {
  const queue = new ReadQueue(['only'], { waitingMax: 10 });
  const ends: (() => void)[] = [];
  const occupy = () =>
    queue.run(nameOf('one'), () => new Promise<void>((resolve) => void ends.push(resolve)));
  const running = Array.from({ length: READS_AT_ONCE_MAX }, occupy);
  let isWanted = true;
  let begun = 0;
  const begin = async () => void begun++;
  const left = queue.run({ ...nameOf('one'), isWanted: () => isWanted }, begin);
  const stayed = queue.run({ ...nameOf('one'), isWanted: () => true }, begin);
  isWanted = false;
  for (const end of ends) end();
  await assert.rejects(left, { condition: 'invalid-argument' });
  await Promise.all([...running, stayed]);
  assert.deepEqual([begun, queue.waiting], [1, 0]);
});

it('refuses reads that have waited too long, telling how long to wait, and keeps younger ones', async () => {
  const { queue, arrive, pass, refused } = clockedQueue(['only']);
  arrive('hog', 5);
  pass(600);
  arrive('victim');
  pass(600);
  queue.shed();
  await new Promise(setImmediate);
  assert.deepEqual(refused, Array(3).fill({ share: 'hog', seconds: 2 }));
  assert.equal(queue.waiting, 1);
});

it('takes the place of the newest read of whoever has most waiting when the queue is full', async () => {
  const { queue, arrive, refused } = clockedQueue(['only'], { waitingMax: 4 });
  arrive('hog', 8);
  await new Promise(setImmediate);
  assert.equal(refused.length, 2);
  arrive('victim');
  await new Promise(setImmediate);
  assert.deepEqual(
    refused.map(({ share }) => share),
    ['hog', 'hog', 'hog'],
  );
  assert.equal(queue.waiting, 4);
});

it('tells how long the oldest read has waited, and 0 when none waits', async () => {
  let now = 0;
  const queue = new ReadQueue(['a'], { waitingMax: 10, now: () => now });
  const ends = Array.from({ length: READS_AT_ONCE_MAX }, () => Promise.withResolvers<void>());
  const running = ends.map(({ promise }) => queue.run(nameOf('one'), () => promise));
  assert.equal(queue.oldestMs, 0);
  const waiting = [queue.run(nameOf('one'), async () => undefined)];
  now = 30;
  waiting.push(queue.run(nameOf('two'), async () => undefined));
  now = 50;
  assert.equal(queue.oldestMs, 50);
  for (const { resolve } of ends) resolve();
  await Promise.all([...running, ...waiting]);
  assert.equal(queue.oldestMs, 0);
});
