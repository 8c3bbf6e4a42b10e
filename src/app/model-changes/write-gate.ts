// Counts the writes that are under way on each index, and holds new ones back while its vectors change places.
import { overloaded } from '../../domain/overload.ts';

/** How long the writes of an index may be held back for those before them to end. */
const ENTRANTS_MS_MAX = 5_000;
/** How long a write waits for an exchange, which takes milliseconds. */
const HELD_MS_MAX = 15_000;
const POLL_MS = 5;

interface Gate {
  inside: number;
  /** Resolves when the gate opens; null while it is open. */
  opening: Promise<void> | null;
}

export type Leave = () => void;

export class WriteGate {
  readonly #gates = new Map<string, Gate>();

  /** Begins a write, at once unless the gate is closed. Call what it returns when the write has ended. @throws overloaded */
  enter(indexId: string): Leave | Promise<Leave> {
    const opening = this.#openingOf(indexId);
    return opening === null ? this.#admit(indexId) : this.#enterLater(indexId, opening);
  }

  /** Runs `work` while no write and no other work is under way. @returns null without having run it when earlier writes did not end in time */
  async alone<Result>(
    indexId: string,
    work: () => Promise<Result>,
  ): Promise<{ readonly result: Result } | null> {
    for (let opening = this.#openingOf(indexId); opening !== null; opening = this.#openingOf(indexId))
      await opening;
    const { promise, resolve } = Promise.withResolvers<void>();
    const gate = this.#of(indexId);
    gate.opening = promise;
    try {
      const until = performance.now() + ENTRANTS_MS_MAX;
      while (gate.inside > 0) {
        if (performance.now() > until) return null;
        await new Promise((done) => setTimeout(done, POLL_MS));
      }
      return { result: await work() };
    } finally {
      gate.opening = null;
      resolve();
      this.#forgetIdle(indexId, gate);
    }
  }

  async #enterLater(indexId: string, opening: Promise<void>): Promise<Leave> {
    const { promise: tooLong, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(overloaded()), HELD_MS_MAX);
    try {
      await Promise.race([opening, tooLong]);
    } finally {
      clearTimeout(timer);
    }
    return this.enter(indexId);
  }

  #admit(indexId: string): Leave {
    const gate = this.#of(indexId);
    gate.inside += 1;
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      gate.inside -= 1;
      this.#forgetIdle(indexId, gate);
    };
  }

  #openingOf(indexId: string): Promise<void> | null {
    return this.#gates.get(indexId)?.opening ?? null;
  }

  #of(indexId: string): Gate {
    const known = this.#gates.get(indexId) ?? { inside: 0, opening: null };
    this.#gates.set(indexId, known);
    return known;
  }

  #forgetIdle(indexId: string, gate: Gate): void {
    if (gate.inside === 0 && gate.opening === null && this.#gates.get(indexId) === gate)
      this.#gates.delete(indexId);
  }
}
