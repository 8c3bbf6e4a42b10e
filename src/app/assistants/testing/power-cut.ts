// A simulated power cut: from the n-th call on, all wrapped parts fail, before or after that call.

export type Moment = 'before' | 'after';

/** Methods of an engine that only give access to a part of it. */
const ENGINE_ACCESS = new Set<string | symbol>(['reader', 'writer', 'copies', 'staging']);

export class PowerCut {
  readonly #at: number;
  readonly #moment: Moment;
  readonly #off = Promise.withResolvers<void>();
  #calls = 0;
  #isOff = false;

  /** @param at from 1 */
  constructor(at: number, moment: Moment) {
    this.#at = at;
    this.#moment = moment;
  }

  /** False when there were fewer calls. */
  get happened(): boolean {
    return this.#isOff;
  }

  get off(): Promise<void> {
    return this.#off.promise;
  }

  /** The same thing, whose methods count and fail. Async methods and iterables only, and access to the parts of an engine. */
  through<Part extends object>(part: Part): Part {
    return new Proxy(part, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value === 'function' && ENGINE_ACCESS.has(name))
          return (...args: unknown[]) => this.through(Reflect.apply(value, target, args));
        return typeof value === 'function'
          ? this.#wrapped(value as (...args: unknown[]) => unknown, target)
          : value;
      },
    });
  }

  #wrapped(method: (...args: unknown[]) => unknown, target: object) {
    return (...args: unknown[]): unknown => {
      const isLast = ++this.#calls === this.#at;
      if (isLast && this.#moment === 'before') this.#turnOff();
      if (this.#isOff) return failing();
      const result: unknown = Reflect.apply(method, target, args);
      if (!(result instanceof Promise)) return result;
      return result.then((value: unknown) => {
        if (isLast) this.#turnOff();
        if (this.#isOff) throw new Error('the power is off');
        return value;
      });
    };
  }

  #turnOff(): void {
    this.#isOff = true;
    this.#off.resolve();
  }
}

/** Fails both as a promise and as an iterable. */
function failing(): Promise<never> & AsyncIterable<never> {
  const failed = Promise.reject(new Error('the power is off'));
  failed.catch(() => {});
  return Object.assign(failed, { [Symbol.asyncIterator]: () => ({ next: () => failed }) });
}
