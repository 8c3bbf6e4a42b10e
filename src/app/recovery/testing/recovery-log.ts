// What tests of the recovery log have in common: its objects, and what a recovery must bring back.
import { keysWith, logPrefix } from '../log-format.ts';
import type { RecoveryFixture } from './recovery-fixture.ts';

/** Objects of the log of the first timeline, in their order. */
export async function logKeys(fixture: RecoveryFixture): Promise<readonly string[]> {
  const [timeline] = fixture.timelines;
  if (timeline === undefined) return [];
  return Array.fromAsync(keysWith(await fixture.blobs(), logPrefix(timeline)));
}

/** Deletes an object of the log, by its place modulo their number. */
export async function lose(fixture: RecoveryFixture, object: number): Promise<void> {
  const keys = await logKeys(fixture);
  const key = keys[object % keys.length];
  if (key !== undefined) await (await fixture.blobs()).delete(key);
}

/** The writes of each index up to a moment. */
export function modelAt(fixture: RecoveryFixture, moment: number): ReadonlyMap<string, readonly number[]> {
  const at = new Map<string, readonly number[]>();
  for (const [id, { writes }] of fixture.indexes)
    at.set(
      id,
      writes.filter(({ ms }) => ms <= moment).map(({ lsn }) => lsn),
    );
  return at;
}

/** Resolves to whether it was shipped, once its copies have ended, too. */
export async function shipQuietly(shipper: {
  ship(): Promise<void>;
  settled(): Promise<void>;
}): Promise<boolean> {
  const isShipped = await shipper.ship().then(
    () => true,
    () => false,
  );
  await shipper.settled();
  return isShipped;
}
