// A node that no longer reaches its database, which lives on: it refuses instead of answering from what it once knew.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { until } from '../support/until.ts';
import { MovingAddress } from './moving-address.ts';
import { WholeNode } from './nodes/whole-node.ts';
import { whyNoPgvector } from './pgvector.ts';
import { type RealPostgres, startPostgres, whyNotHere } from './server.ts';

const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };

const reason = whyNotHere() ?? whyNoPgvector();
if (reason === null) {
  const server = await startPostgres();
  describe('a partition between a node and the database', () => {
    after(() => server.stop());
    describePartition(server);
  });
} else {
  process.stdout.write(`SKIPPED: no PostgreSQL with pgvector can be run here: ${reason}\n`);
}

function describePartition(server: RealPostgres): void {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-partition-'));
  const address = new MovingAddress();
  let url: string;
  let node: WholeNode;

  before(async () => {
    url = await server.newDatabase();
    address.moveTo(url);
    node = new WholeNode({ name: 'cut', folder, env: { PINYON_DATABASE_URL: await address.through(url) } });
    await node.start();
  });
  after(async () => {
    await node.kill();
    await address.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const status = async (path: string) => (await node.call('GET', path)).status;

  it('makes it answer 503 while nothing arrives, and know what happened meanwhile before it answers again', async () => {
    const body = { name: 'notes', dimension: 3, metric: 'euclidean', spec: SPEC };
    assert.equal((await node.call('POST', '/indexes', { body })).status, 201);
    assert.equal(await status('/indexes/notes'), 200);
    address.silence();
    await server.run('delete from pinyon.api_keys', url);
    await until(async () => (await status('/health')) === 503);
    assert.equal(await status('/health/live'), 200);
    for (let asked = 0; asked < 5; asked++) assert.equal(await status('/indexes/notes'), 503);
    address.moveTo(url);
    const seen = new Set<number>();
    await until(async () => {
      const now = await status('/indexes/notes');
      seen.add(now);
      return now !== 503;
    });
    assert.deepEqual(
      [...seen].filter((each) => each !== 503),
      [401],
      'the key is gone',
    );
    await until(async () => (await status('/health')) === 200);
  });
}
