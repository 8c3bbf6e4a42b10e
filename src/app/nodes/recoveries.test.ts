// Indexes that are made anew from backups: what they say of their vectors is what the backup holds.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { SAMPLE_INDEX, seedProjects } from '../../catalog/conformance/conformance-suite.ts';
import { SqlCatalog } from '../../catalog/sql-catalog.ts';
import { openSqlite } from '../../catalog/sqlite/open-catalog.ts';
import { type Archive, NO_FIGURES } from '../../domain/backups/archive.ts';
import { embeddingSlots } from '../../domain/embedding/embedding-slots.ts';
import type { EmbeddingSource } from '../../domain/embedding/embedding-source.ts';
import type { IndexEmbedding } from '../../domain/embedding/index-embedding.ts';
import type { Index } from '../../domain/index-model.ts';
import { Recoveries } from './recoveries.ts';

const NEXT: EmbeddingSource = { provider: 'built-in', revision: '2' };
const { embed } = SAMPLE_INDEX;
assert.ok(embed !== null);
const EMBED: IndexEmbedding = embed;

const indexWith = (remaking: EmbeddingSource | null): Index => ({
  ...{ ...SAMPLE_INDEX, port: null },
  embed: { ...EMBED, remaking },
});

const documentsWith = (remaking: EmbeddingSource | null): Index => {
  const { textField: _, ...field } = { ...EMBED, remaking };
  const text = { kind: 'string', description: null, storeText: true, fullText: null } as const;
  return {
    ...{ ...SAMPLE_INDEX, port: null, embed: null },
    documents: { fields: { text: { ...text, embed: field, sparseEmbed: { ...field, remaking: null } } } },
  };
};

const archiveOf = (source: Index): Archive => ({
  ...{ id: 'backup', face: 'backup', projectId: source.projectId, name: null, description: null },
  ...{ state: 'Ready', source, sourceDeletedAt: null, manifestSha256: 'aa', scheduleId: null },
  ...{ ...NO_FIGURES, scheduledAt: null, expiresAt: null, createdAt: source.createdAt },
});

describe('an index that is made anew from a backup', () => {
  let catalog: SqlCatalog;

  beforeEach(async () => {
    const db = await openSqlite({ path: ':memory:' });
    catalog = new SqlCatalog(db, { nodeId: 'dead' });
    await seedProjects(catalog);
    for (const [id, leaseMs] of [
      ['dead', -1],
      ['alive', 60_000],
    ] as const) {
      const figures = { memoryFreeBytes: 1, diskFreeBytes: 2, isHeld: false, release: '1' };
      const lease = { id, incarnation: `${id}-1`, address: `http://${id}`, leaseMs, ...figures };
      assert.ok(await catalog.nodes.renew(lease));
    }
  });
  afterEach(() => catalog.close());

  const madeAnew = async (stored: Index, source: Index): Promise<Index | undefined> => {
    await catalog.indexes.insert(stored);
    await catalog.archives.adopt(archiveOf(source));
    const [index] = await catalog.indexes.list();
    const nodes = await catalog.nodes.list();
    const target = nodes.find(({ isAlive }) => isAlive);
    assert.ok(index && target);
    const parts = { catalog, store: catalog.nodes, jobs: { wake: () => undefined } };
    await new Recoveries(parts).start(index, { nodes, target, backup: 'newest' });
    return (await catalog.indexes.list())[0];
  };

  for (const [kind, of] of [
    ['texts', indexWith],
    ['documents', documentsWith],
  ] as const) {
    test(`says that vectors of its ${kind} are of two sources where the backup is half re-embedded`, async () => {
      // The model has come back to the former source since, and the vectors with it.
      const index = await madeAnew(of(null), of(NEXT));
      assert.ok(index);
      assert.deepEqual(
        embeddingSlots(index).map(({ embed: { source, remaking } }) => [source, remaking]),
        embeddingSlots(of(NEXT)).map(({ embed: { remaking } }) => [EMBED.source, remaking]),
      );
    });

    test(`says that vectors of its ${kind} are of one source where a re-embedding began after the backup`, async () => {
      const index = await madeAnew(of(NEXT), of(null));
      assert.ok(index);
      assert.ok(embeddingSlots(index).every((slot) => slot.embed.remaking === null));
    });
  }
});
