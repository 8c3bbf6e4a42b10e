// What the tests of whole engines work with.
import type { IndexProfile } from '../../domain/index-model.ts';
import type { VectorStore } from '../port/vector-store.ts';

/** What a test works with: an engine, and profiles of indexes that it does not have yet. */
export interface EngineFixture {
  readonly engine: VectorStore;
  readonly one: IndexProfile;
  readonly other: IndexProfile;
  readonly third: IndexProfile;
  readonly sparse: IndexProfile;
}

export type CheckEngine = (title: string, run: (fixture: EngineFixture) => Promise<void>) => void;
