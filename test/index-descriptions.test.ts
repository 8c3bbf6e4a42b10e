// Each index keeps what the catalog knows of it in its own folder: from its creation on, after changes, and for indexes
// that have none yet.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { API_KEY, newService } from './support/service.ts';

interface Described {
  readonly index: {
    readonly id: string;
    readonly name: string;
    readonly tags: object;
    readonly state: string;
  };
  readonly projectName: string;
}

it('describes each index in its folder, and describes those again that have no description', async () => {
  const service = await newService();
  const described = (id: string): Described =>
    JSON.parse(readFileSync(pathOf(id), 'utf8').split('\n')[0] ?? '');
  const pathOf = (id: string) => join(service.dataDir, 'indexes', id, 'index.json');
  try {
    await service.start();
    await service.createIndex({ name: 'notes', dimension: 3, metric: 'cosine' });
    const [id = ''] = readdirSync(join(service.dataDir, 'indexes'));
    assert.equal(described(id).index.name, 'notes');
    assert.equal(described(id).index.state, 'Ready');
    assert.equal(described(id).projectName, 'default');
    const response = await fetch(`${service.url}/indexes/notes`, {
      method: 'PATCH',
      headers: { 'api-key': API_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ tags: { team: 'search' } }),
    });
    assert.equal(response.status, 200, await response.text());
    assert.deepEqual(described(id).index.tags, { team: 'search' });
    await service.stop();
    rmSync(pathOf(id));
    await service.start();
    assert.deepEqual(described(id).index.tags, { team: 'search' });
  } finally {
    await service.dispose();
  }
});
