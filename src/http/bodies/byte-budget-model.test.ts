// The guarantee of the byte budget, whatever its requests do: it decides as a naive model does, which adds up what each
// request holds whenever it is asked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../../domain/faults.ts';
import { ByteBudget, type ByteLease } from './byte-budget.ts';

const BYTES_MAX = 100;
const RECENT_MS = 30_000;

interface Held {
  readonly lease: ByteLease;
  readonly owner: string;
  bytes: number;
  isReceiving: boolean;
  isTakenBack: boolean;
}

/** A budget and its naive model, which have to agree after each step. */
class ModelledBudget {
  #now = 0;
  readonly #budget = new ByteBudget(BYTES_MAX, () => this.#now);
  readonly #all: Held[] = [];
  /** When each project asked for memory last, in milliseconds. */
  readonly #askedAt = new Map<string, number>();
  /** Who asks now, and for how many bytes more. */
  #asking = { owner: '', bytes: 0 };

  open(owner: string, isReceiving: boolean): void {
    const lease = this.#budget.lease(owner === '' ? null : { projectId: owner });
    const held: Held = { lease, owner, bytes: 0, isReceiving, isTakenBack: false };
    if (isReceiving) lease.receive(() => this.#takenBack(held));
    this.#all.push(held);
  }

  at(position: number): Held | undefined {
    return this.#all[position % Math.max(1, this.#all.length)];
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds;
  }

  take(held: Held, bytes: number): void {
    const { owner } = held;
    this.#asking = { owner, bytes };
    if (!held.isTakenBack) this.#askedAt.set(owner, this.#now);
    const isGiven = succeeds(() => held.lease.take(bytes));
    const isRefused = held.isTakenBack || this.#isOverHalf(held, bytes) || this.#lacks(bytes);
    assert.equal(isGiven, !isRefused);
    if (isGiven) held.bytes += bytes;
    this.#check();
  }

  exchange(held: Held, bytes: number): void {
    const { owner, lease, isTakenBack } = held;
    const more = bytes - held.bytes;
    this.#asking = { owner, bytes: more };
    if (!isTakenBack) this.#askedAt.set(owner, this.#now);
    const isGiven = succeeds(() => lease.exchange(bytes));
    assert.equal(isGiven, !isTakenBack && (more <= 0 || !this.#lacks(more)));
    if (isGiven) held.bytes = bytes;
    this.#check();
  }

  end(held: Held): void {
    held.lease.end();
    held.bytes = 0;
    this.#check();
  }

  #takenBack(held: Held): void {
    const most = this.#heldBy(held.owner);
    const { owner, bytes } = this.#asking;
    assert.ok(held.bytes > 0 && !held.isTakenBack);
    assert.ok(this.#lacks(bytes), 'nothing is taken back without need');
    assert.ok(most > this.#heldBy(owner) + bytes, 'nothing is taken from projects with less');
    const receiving = this.#all.filter((each) => each.isReceiving && each.bytes > 0);
    for (const each of receiving) {
      assert.ok(this.#heldBy(each.owner) <= most);
      if (each.owner === held.owner) assert.ok(each.bytes <= held.bytes);
    }
    Object.assign(held, { bytes: 0, isTakenBack: true });
  }

  #isOverHalf({ owner, bytes: own }: Held, bytes: number): boolean {
    const heldInAll = this.#heldBy(owner);
    const areOthersAbout = [...this.#askedAt].some(
      ([other, at]) => other !== owner && this.#now - at < RECENT_MS,
    );
    return heldInAll + bytes > BYTES_MAX / 2 && own < heldInAll && areOthersAbout;
  }

  #lacks(bytes: number): boolean {
    return this.#heldBy() + bytes > BYTES_MAX;
  }

  /** @param owner all of them if absent */
  #heldBy(owner?: string): number {
    return this.#all.reduce(
      (sum, each) => sum + (owner === undefined || each.owner === owner ? each.bytes : 0),
      0,
    );
  }

  #check(): void {
    assert.equal(this.#budget.used, this.#heldBy());
    assert.ok(this.#budget.used <= BYTES_MAX);
  }
}

function succeeds(run: () => void): boolean {
  try {
    run();
    return true;
  } catch (error) {
    assert.ok(error instanceof Fault && error.condition === 'overloaded');
    return false;
  }
}

/** Few projects and requests, so that the same ones take, fail, end and take again. */
const step = fc.record({
  owner: fc.constantFrom('', '', 'a'),
  bytes: fc.integer({ min: 1, max: 70 }),
  does: fc.constantFrom('open', 'receive', 'take', 'take', 'take', 'exchange', 'end', 'end', 'pass'),
  at: fc.nat(5),
});

test('gives, refuses and takes back as a naive model of all shares does', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 100 }), (steps) => {
      const budget = new ModelledBudget();
      for (const { owner, bytes, does, at } of steps) {
        const held = budget.at(at);
        if (does === 'open' || does === 'receive') budget.open(owner, does === 'receive');
        else if (does === 'pass') budget.pass(bytes * 200);
        else if (held !== undefined && does === 'take') budget.take(held, bytes);
        else if (held !== undefined && does === 'exchange') budget.exchange(held, bytes);
        else if (held !== undefined) budget.end(held);
      }
    }),
    { seed: 20_261_129, numRuns: 2_000 },
  );
});
