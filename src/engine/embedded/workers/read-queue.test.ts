// Tests the read queue: it keeps the order, never overloads a reader, and loses or duplicates no slot.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../../../domain/faults.ts';
import { READS_AT_ONCE_MAX, ReadQueue } from './read-queue.ts';

const READERS: readonly string[] = ['a', 'b', 'c'];

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
    this.queue = new ReadQueue(READERS, waitingMax);
  }

  arrive(): void {
    const number = this.arrived++;
    const read = this.queue.run(async (reader, leave) => {
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

it('sends a read to the reader with the fewest', async () => {
  const queue = new ReadQueue(READERS, 0);
  const seen: string[] = [];
  for (let i = 0; i < READERS.length; i++) {
    void queue.run((reader) => {
      seen.push(reader);
      return new Promise(() => {});
    });
  }
  assert.deepEqual(seen, READERS);
});
