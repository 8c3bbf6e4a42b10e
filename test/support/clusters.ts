// Dense vectors around a few centres: near enough to real ones for graphs to be walked as they are in earnest.
import type { Random } from './random.ts';

const CENTERS = 30;
const SPREAD = 0.5;
const DECIMALS = 10_000;

/** Makes vectors with four decimals: short enough that answers give them back as sent. */
export function clusteredVectors(random: Random, dimension: number): () => readonly number[] {
  const centers = Array.from({ length: CENTERS }, () => random.vector(dimension));
  return () => {
    const center = random.pick(centers);
    return center.map((value) => {
      // The sum of three uniform numbers is close to a bell.
      const noise = random.next() + random.next() + random.next() - 1.5;
      return Math.round((value + SPREAD * noise) * DECIMALS) / DECIMALS;
    });
  };
}
