// Runs the suite of readers and writers over a whole engine, through its port.
import { after } from 'node:test';
import type { IndexProfile } from '../../domain/index-model.ts';
import { effort } from '../embedded/testing/effort.ts';
import type { VectorStore } from '../port/vector-store.ts';
import type { MakeEngine } from './engines.ts';
import type { ConformanceIndex, MakeIndex } from './harness.ts';

const DAMAGES_MAX = effort({ daily: 2, long: 5 });

/** Makes the indexes in one engine that all tests share: starting an engine takes longer than most tests. */
export function indexOver(makeEngine: MakeEngine): MakeIndex {
  let made: ReturnType<MakeEngine> | undefined;
  let count = 0;
  after(async () => (await made)?.close());
  return async (profile) => {
    made ??= makeEngine();
    const { engine } = await made;
    const own = { ...profile, id: `${profile.id}-${++count}` };
    await engine.createIndex(own);
    return open(engine, own, (overrides) => ({ ...own, ...overrides, id: `${profile.id}-${++count}` }));
  };
}

function open(
  engine: VectorStore,
  profile: IndexProfile,
  profileOfCopy: (overrides: Partial<IndexProfile> | undefined) => IndexProfile,
): ConformanceIndex {
  return {
    reader: engine.reader(profile),
    writer: engine.writer(profile),
    neighbors: (request) => engine.copies(profile).neighbors(request),
    exported: () => engine.copies(profile).export(),
    imported: async (bytes, overrides) => {
      const copy = profileOfCopy(overrides);
      await engine.copies(copy).import(owned(bytes));
      return open(engine, copy, profileOfCopy);
    },
    close: () => engine.dropIndex(profile.id),
    damagesMax: DAMAGES_MAX,
  };
}

/** Copies the pieces, because engines transfer the buffers that they are given. */
async function* owned(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) yield Uint8Array.from(piece);
}
