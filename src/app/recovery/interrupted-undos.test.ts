// Which vectors are made anew where a recovery ends an undo.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Catalog } from '../../catalog/port.ts';
import { openCatalog } from '../../catalog/sqlite/open-catalog.ts';
import type { Index } from '../../domain/index-model.ts';
import { untouched } from '../../platform/testing/untouched.ts';
import { NEW_INDEX } from '../indexes/testing/control-plane.ts';
import { remakeAfterUndos } from './interrupted-undos.ts';

const SOURCE = { provider: 'test', revision: '1' };

it('refuses texts and makes vectors anew where an undo goes back behind a re-embedding, and only there', async () => {
  const catalog = await openCatalog({ path: ':memory:' });
  const createdAt = '2026-07-01T00:00:00.000Z';
  const projectId = 'project-1';
  const stored = new Map<string, Index>();
  const indexes: Catalog['indexes'] = {
    ...untouched<Catalog['indexes']>(),
    list: async () => [...stored.values()],
    update: async (id, change) => {
      const changed = change(stored.get(id) ?? assert.fail(id));
      stored.set(id, changed);
      return changed;
    },
  };
  for (const [id, toLsn, storageId] of [
    ['behind', 4, 'behind'],
    ['since', 5, 'since'],
    ['renamed', 4, 'former'],
    ['none', null, ''],
  ] as const) {
    const index: Index = {
      ...{ ...NEW_INDEX, id, name: id, projectId, state: 'Ready', port: null, createdAt },
      embed: {
        ...{ model: 'm', textField: 'text', writeParameters: {}, readParameters: {}, source: SOURCE },
        ...{ remaking: null, remade: { storageId: id, lsn: 5, ms: 0 } },
      },
    };
    stored.set(id, index);
    const input = { namespace: null, toLsn, begunLsn: 9, storageId };
    if (toLsn !== null)
      await catalog.jobs.insert({
        ...{ id: `undo-${id}`, kind: 'undo', projectId, indexId: id, subject: null, input, createdAt },
      });
  }
  for (let i = 0; i < 2; i++) await remakeAfterUndos({ indexes, jobs: catalog.jobs });
  const remade = [...stored.values()].filter(({ embed }) => embed?.remaking !== null);
  assert.deepEqual(
    remade.map(({ id, embed }) => [id, embed?.remaking]),
    [['behind', SOURCE]],
  );
  const jobs = await catalog.jobs.active({ kind: 'reembed' });
  assert.deepEqual(
    jobs.map(({ indexId }) => indexId),
    ['behind'],
  );
  await catalog.close();
});
