// Contestants measured by turns in short slices, round after round: a machine whose speed drifts drifts for all of them, so
// that the ratio of two slices of one round says more than the ratio of two figures taken minutes apart.
import type { Cells } from './cells.ts';
import { type Spread, spreadOf } from './spread.ts';

export interface TurnsPlan<Contestant, Slice> {
  /** What is contested, in words that no other contest of the run has. */
  readonly name: string;
  readonly cells: Cells;
  readonly rounds: number;
  readonly keyOf: (contestant: Contestant) => string;
  /** One slice; `round` is below 0 while warming up. */
  readonly measure: (contestant: Contestant, round: number) => Promise<Slice>;
}

type Round<Slice> = Readonly<Record<string, Slice>>;

/** Slices of all rounds, by the keys of the contestants. */
export class Turns<Slice> {
  readonly #rounds: readonly Round<Slice>[];

  constructor(rounds: readonly Round<Slice>[]) {
    this.#rounds = rounds;
  }

  /** All rounds of several contests. */
  static joined<Slice>(all: readonly Turns<Slice>[]): Turns<Slice> {
    return new Turns(all.flatMap((turns) => turns.#rounds));
  }

  spread(key: string, of: (slice: Slice) => number): Spread {
    return spreadOf(this.#rounds.flatMap(({ [key]: slice }) => (slice === undefined ? [] : [of(slice)])));
  }

  /** The first one's figure divided by the other's, in every round that both were in. */
  ratio(key: string, other: string, of: (slice: Slice) => number): Spread {
    const ratios = this.#rounds.flatMap(({ [key]: one, [other]: another }) =>
      one === undefined || another === undefined ? [] : [of(one) / of(another)],
    );
    return spreadOf(ratios);
  }
}

/** Measures all contestants in every round; rounds that the cells hold are not measured again. */
export async function takeTurns<Contestant, Slice>(
  contestants: readonly Contestant[],
  { name, cells, rounds, keyOf, measure }: TurnsPlan<Contestant, Slice>,
): Promise<Turns<Slice>> {
  const cellOf = (round: number) => `turns ${name}: ${contestants.map(keyOf).join(' | ')}; ${round}`;
  const numbers = Array.from({ length: rounds }, (_, round) => round);
  const missing = numbers.filter((round) => !cells.has(cellOf(round)));
  if (missing.length > 0) for (const contestant of contestants) await measure(contestant, -1);
  for (const round of missing) {
    const slices: Record<string, Slice> = {};
    for (const contestant of inOrder(contestants, round))
      slices[keyOf(contestant)] = await measure(contestant, round);
    cells.put(cellOf(round), slices);
  }
  return new Turns(numbers.map((round) => cells.get<Round<Slice>>(cellOf(round)) ?? {}));
}

/** Everybody begins as often as the others, and comes as often before as after each of them. */
export function inOrder<One>(all: readonly One[], round: number): readonly One[] {
  const first = round % all.length;
  const rotated = [...all.slice(first), ...all.slice(0, first)];
  return Math.floor(round / all.length) % 2 === 0 ? rotated : rotated.reverse();
}
