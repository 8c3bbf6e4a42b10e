// Crashes a job at a chosen step, before or after one of the calls that leave something behind.
import { effort } from '../../../engine/embedded/testing/effort.ts';

export class Crash extends Error {}

export class Steps {
  count = 0;
  readonly #crashAt: number;

  /** @param crashAt number of the step, from 1, that crashes; by default none */
  constructor(crashAt = Number.POSITIVE_INFINITY) {
    this.#crashAt = crashAt;
  }

  /** Wraps a part: each call counts as one step before it and one after it. */
  around<Part extends object>(part: Part): Part {
    return new Proxy(part, {
      get: (target, name) => {
        const work = Reflect.get(target, name) as (...words: unknown[]) => Promise<unknown>;
        return async (...words: unknown[]) => {
          this.#step();
          const result = await work.apply(target, words);
          this.#step();
          return result;
        };
      },
    });
  }

  #step(): void {
    if (++this.count === this.#crashAt) throw new Crash();
  }
}

/** All steps in the long form, otherwise every third and the last ones. */
export function chosenSteps(count: number): readonly number[] {
  const all = Array.from({ length: count }, (_, i) => i + 1);
  return effort({ daily: all.filter((step) => step % 3 === 0 || step > count - 4), long: all });
}
