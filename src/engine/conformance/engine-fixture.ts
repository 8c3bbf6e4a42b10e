// What the tests of whole engines work with.
import type { IndexProfile } from '../../domain/index-model.ts';
import type { VectorStore } from '../port/vector-store.ts';
import { dense } from './sample-data.ts';

/** What a test works with: an engine, and profiles of indexes that it does not have yet. */
export interface EngineFixture {
  readonly engine: VectorStore;
  readonly one: IndexProfile;
  readonly other: IndexProfile;
  readonly third: IndexProfile;
  readonly sparse: IndexProfile;
}

export type CheckEngine = (title: string, run: (fixture: EngineFixture) => Promise<void>) => void;

export const SCHEMA = { fields: { year: { filterable: true as const } } };
/** Of one namespace, in the order of their ids. */
export const RECORDS = Array.from({ length: 25 }, (_, i) => dense(`r${i + 10}`, [i, 1, 2, 3], { n: i }));
