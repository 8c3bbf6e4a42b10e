// Proves that the engine of a catalog changes only where nothing of it is in the other one.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { seedProjects } from '../../catalog/conformance/conformance-suite.ts';
import type { Catalog } from '../../catalog/port.ts';
import { openCatalog } from '../../catalog/sqlite/open-catalog.ts';
import { newId } from '../../domain/ids.ts';
import { StartProblem } from '../start-problems.ts';
import { assertEngine, engineOf } from './engine-mark.ts';

const AT = '2026-01-01T00:00:00.000Z';

describe('the engine of a catalog', () => {
  let catalog: Catalog;
  beforeEach(async () => {
    catalog = await openCatalog({ path: ':memory:' });
    await seedProjects(catalog);
  });
  afterEach(() => catalog.close());

  it('changes while there are no indexes and no assistants', async () => {
    await assertEngine(catalog, 'postgres');
    assert.equal(await engineOf(catalog), 'postgres');
    await assertEngine(catalog, 'embedded');
    assert.equal(await engineOf(catalog), 'embedded');
  });

  it('stays while there is an assistant, whose texts are in the other engine', async () => {
    await insertAssistant(catalog);
    await assertEngine(catalog, 'embedded');
    await assert.rejects(
      () => assertEngine(catalog, 'postgres'),
      (error) =>
        error instanceof StartProblem && /texts of the 1 assistants .* in the embedded/.test(error.message),
    );
    assert.equal(await engineOf(catalog), 'embedded');
  });
});

async function insertAssistant({ assistants }: Catalog): Promise<void> {
  const [id, projectId] = [newId(), 'project-1'];
  await assistants.insert(
    {
      ...{
        id,
        projectId,
        name: 'helper',
        instructions: null,
        metadata: {},
        region: 'eu',
        state: 'Initializing',
      },
      models: { dense: { model: 'd', source: 's 1', dimension: 3 }, sparse: { model: 'w', source: 's 1' } },
      ...{ denseIndexId: id, sparseIndexId: newId(), createdAt: AT, updatedAt: AT },
    },
    { id: newId(), kind: 'k', projectId, indexId: null, subject: id, input: null, createdAt: AT },
  );
}
