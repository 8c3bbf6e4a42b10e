// Tests the turns on a writer thread: nobody waits for many long writes of others, and nothing is lost.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { MS_PER_BYTE, WriteTurns } from './write-turns.ts';

const LONG_MS = 30;
const SHORT_MS = 1;

/** The name of a caller's share. */
const shareOf = (indexId: string, caller = '') => `${indexId} ${caller}`;

/** Turns on a clock that the work moves. */
class TurnsFixture {
  nowMs = 0;
  readonly order: string[] = [];
  readonly turns = new WriteTurns({ now: () => this.nowMs });

  take(share: string, ms: number, onStart: () => void = () => undefined): void {
    const [indexId = '', caller = ''] = share.split(' ');
    this.turns.take({ name: { indexId, caller } }, () => {
      this.order.push(share);
      this.nowMs += ms;
      onStart();
    });
  }
}

it('starts at once when the thread is idle, then in order within a share', async () => {
  const fixture = new TurnsFixture();
  fixture.take('a', SHORT_MS, () => fixture.order.push('first'));
  assert.deepEqual(fixture.order, ['a', 'first']);
  for (const name of ['second', 'third']) fixture.take('a', SHORT_MS, () => fixture.order.push(name));
  await fixture.turns.idle();
  assert.deepEqual(fixture.order, ['a', 'first', 'a', 'second', 'a', 'third']);
});

it('has a short write wait for one long one of a hundred callers at most', async () => {
  const fixture = new TurnsFixture();
  const short = shareOf('small', 'short');
  // Means are known of callers that were here before.
  fixture.take(short, SHORT_MS);
  for (let i = 0; i < 100; i++) fixture.take(shareOf('large', `${i}`), LONG_MS);
  await fixture.turns.idle();
  fixture.order.length = 0;
  for (let i = 0; i < 100; i++) fixture.take(shareOf('large', `${i}`), LONG_MS);
  for (let i = 0; i < 3; i++)
    await new Promise<void>((resolve) => fixture.take(short, SHORT_MS, () => setImmediate(resolve)));
  const positions = fixture.order.flatMap((share, at) => (share === short ? [at] : []));
  assert.equal(positions.length, 3);
  for (const [i, at] of positions.entries())
    assert.ok(
      at - (positions[i - 1] ?? 0) <= 2,
      `a short write waited from ${positions[i - 1] ?? 0} to ${at}`,
    );
  await fixture.turns.idle();
  assert.equal(fixture.order.length, 103);
});

it('has a short write wait for none of a hundred callers whose writes nobody has seen yet', async () => {
  const fixture = new TurnsFixture();
  const short = shareOf('small', 'short');
  fixture.take(short, SHORT_MS);
  await fixture.turns.idle();
  for (let i = 0; i < 100; i++) fixture.take(shareOf('large', `${i}`), LONG_MS);
  fixture.take(short, SHORT_MS);
  await fixture.turns.idle();
  assert.ok(fixture.order.lastIndexOf(short) <= 2, fixture.order.slice(0, 5).join());
});

it('gives callers of the same demand the same time, however long each of their writes is', async () => {
  const fixture = new TurnsFixture();
  for (let i = 0; i < 300; i++) fixture.take('short', 2);
  for (let i = 0; i < 60; i++) fixture.take('long', 10);
  const until = fixture.nowMs + 300;
  while (fixture.nowMs < until) await new Promise(setImmediate);
  const used = (share: string, ms: number) => fixture.order.filter((each) => each === share).length * ms;
  assert.ok(Math.abs(used('short', 2) - used('long', 10)) <= 20, fixture.order.join());
  await fixture.turns.idle();
});

it('keeps turns short while other indexes are about, and only then', () => {
  const fixture = new TurnsFixture();
  fixture.take(shareOf('one', 'key'), 0);
  const alone = fixture.turns.turnMsMax('one');
  fixture.take(shareOf('other', 'key'), 0);
  assert.ok(fixture.turns.turnMsMax('one') < alone);
  fixture.nowMs += 60_000;
  assert.equal(fixture.turns.turnMsMax('one'), alone);
});

it('parses no more writes of an index than its next commit takes, and those of others', async () => {
  const fixture = new TurnsFixture();
  const { turns, order } = fixture;
  let uncommitted = 0;
  const commit = () => {
    order.push(`commit ${uncommitted}`);
    fixture.nowMs += LONG_MS;
    uncommitted = 0;
    return false;
  };
  for (let i = 0; i < 9; i++) {
    fixture.take(shareOf('large', `${i}`), 6, () => {
      if (uncommitted++ === 0) turns.takeCommit('large', commit);
    });
  }
  fixture.take(shareOf('small', 'other'), SHORT_MS);
  await turns.idle();
  const commits = order.filter((each) => each.startsWith('commit'));
  assert.ok(
    commits.every((each) => Number(each.slice('commit '.length)) <= 2),
    commits.join(),
  );
  assert.ok(order.indexOf(shareOf('small', 'other')) <= 3, order.join());
});

it('has a short write wait for one long one at most beside a hundred new callers of its own index', async () => {
  const fixture = new TurnsFixture();
  const { turns } = fixture;
  const PARSE_MS = 4;
  const PARSE_MS_MIN = 0.2;
  const LONG_BYTES = 2_000_000;
  const SHORT_BYTES = 2_000;
  const parsed: { readonly bytes: number; readonly onStored: () => void }[] = [];
  const commit = () => {
    for (const { bytes, onStored } of parsed.splice(0)) {
      fixture.nowMs += LONG_MS * (bytes / LONG_BYTES);
      onStored();
    }
    return false;
  };
  const write = (caller: string, bytes: number, onStored: () => void) =>
    turns.take({ name: { indexId: 'one', caller }, bytes }, () => {
      fixture.nowMs += PARSE_MS_MIN + PARSE_MS * (bytes / LONG_BYTES);
      parsed.push({ bytes, onStored });
      if (parsed.length === 1) turns.takeCommit('one', commit);
    });
  let left = 400;
  const writeOn = (caller: string) => {
    if (left-- > 0) write(caller, LONG_BYTES, () => writeOn(caller));
  };
  for (let i = 0; i < 100; i++) writeOn(`${i}`);
  const waitsMs: number[] = [];
  while (left > 0) {
    const since = fixture.nowMs;
    await new Promise<void>((resolve) => write('short', SHORT_BYTES, resolve));
    waitsMs.push(fixture.nowMs - since);
  }
  await turns.idle();
  assert.ok(waitsMs.length > 10, `${waitsMs.length} short writes`);
  assert.ok(Math.max(...waitsMs) <= 4 * (LONG_MS + PARSE_MS), waitsMs.join());
});

/** The order in which callers should be served: next is who will have used least, by a look at all of them. */
function orderByUse(bodies: readonly (readonly number[])[]): readonly string[] {
  const FIRST_MS = 5;
  const callers = bodies.map((left, at) => ({ name: `${at}`, left: [...left], usedMs: 0, isNew: true }));
  const order: string[] = [];
  const afterMs = ({ left: [bytes = 0], usedMs, isNew }: (typeof callers)[number]) =>
    usedMs + bytes * MS_PER_BYTE + (isNew ? FIRST_MS : 0);
  for (;;) {
    const waiting = callers.filter(({ left }) => left.length > 0);
    const next = waiting.toSorted((one, other) => afterMs(one) - afterMs(other))[0];
    if (next === undefined) return order;
    next.usedMs += (next.left.shift() ?? 0) * MS_PER_BYTE;
    next.isNew = false;
    order.push(next.name);
  }
}

it('serves whoever will have used least, by the sizes of what callers send, new or not', async () => {
  const sizes = fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 100_000, max: 2_000_000 }));
  const bodies = fc.array(fc.array(sizes, { maxLength: 6 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(bodies, async (ofCallers) => {
      const order: string[] = [];
      let nowMs = 0;
      const turns = new WriteTurns({ now: () => nowMs });
      // All of them wait while somebody else is served.
      turns.take({ name: { indexId: 'other', caller: '' } }, () => undefined);
      for (const [caller, left] of ofCallers.entries())
        for (const bytes of left)
          turns.take({ name: { indexId: 'one', caller: `${caller}` }, bytes }, () => {
            order.push(`${caller}`);
            nowMs += bytes * MS_PER_BYTE;
          });
      await turns.idle();
      assert.deepEqual(order, orderByUse(ofCallers));
    }),
    { seed: 20_261_123, numRuns: 200 },
  );
});

it('forgets idle shares beyond a bound', async () => {
  const fixture = new TurnsFixture();
  for (let i = 0; i < 5_000; i++) {
    fixture.take(`share ${i}`, 0);
    if (i % 100 === 0) await fixture.turns.idle();
  }
  await fixture.turns.idle();
  assert.equal(fixture.order.length, 5_000);
});
