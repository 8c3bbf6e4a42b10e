// Ends a job at a chosen step, as a killed process would: before or after one of the calls that leave something behind.
import { effort } from '../../../engine/embedded/testing/effort.ts';

export class Death extends Error {}

export class Steps {
  count = 0;
  readonly #deadly: number;

  /** @param deadly number of the step, from 1, that ends the job; by default none */
  constructor(deadly = Number.POSITIVE_INFINITY) {
    this.#deadly = deadly;
  }

  /** The same functions; each call is a step before it and one after it. */
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
    if (++this.count === this.#deadly) throw new Death();
  }
}

/** All steps in the long form, else each third and the last ones. */
export function chosenSteps(count: number): readonly number[] {
  const all = Array.from({ length: count }, (_, i) => i + 1);
  return effort({ daily: all.filter((step) => step % 3 === 0 || step > count - 4), long: all });
}
