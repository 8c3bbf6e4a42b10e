// Portable copies between engines: made on the embedded one and restored on PostgreSQL, and the other way round.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { describePortableCopies } from '../../src/engine/conformance/portable-copies.ts';
import { dense, sampleProfile } from '../../src/engine/conformance/sample-data.ts';
import { EngineClient } from '../../src/engine/embedded/testing/engine-client.ts';
import { CopyFailed } from '../../src/engine/port/copy-failed.ts';
import { PostgresEngine } from '../../src/engine/postgres/postgres-engine.ts';
import { whyNoPgvector } from './pgvector.ts';
import { startPostgres, whyNotHere } from './server.ts';

const reason = whyNotHere() ?? whyNoPgvector();
if (reason === null) {
  const server = await startPostgres();
  after(() => server.stop());
  const onPostgres = async () => {
    const engine = await PostgresEngine.open({ url: await server.newDatabase(), connectionsMax: 8 });
    return { engine, close: () => engine.close() };
  };
  describePortableCopies('copies from the embedded engine to PostgreSQL', embedded, onPostgres);
  describePortableCopies('copies from PostgreSQL to the embedded engine', onPostgres, embedded);
  describePortableCopies('copies from PostgreSQL to PostgreSQL', onPostgres, onPostgres);

  it('refuses a fast copy of the embedded engine on PostgreSQL, and says which form it reads', async () => {
    const [source, target] = [await embedded(), await onPostgres()];
    const profile = sampleProfile();
    await source.engine.createIndex(profile);
    await source.engine.writer(profile).upsert('', [dense('a', [1, 2, 3, 4])]);
    const copy = await source.engine.copies(profile).export();
    await assert.rejects(
      target.engine.copies(profile).import(copy.bytes),
      (error) =>
        error instanceof CopyFailed &&
        error.reason === 'foreign' &&
        /PINYON_BACKUP_FORM=portable/.test(error.message),
    );
    await copy.release();
    assert.deepEqual(await target.engine.sizeOf(profile), { records: 0, bytes: 0 });
    await source.close();
    await target.close();
  });
} else {
  process.stdout.write(`SKIPPED: no PostgreSQL with pgvector can be run here: ${reason}\n`);
}

async function embedded() {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-engine-'));
  const { engine } = new EngineClient(folder);
  return {
    engine,
    close: async () => {
      await engine.close();
      rmSync(folder, { recursive: true });
    },
  };
}
