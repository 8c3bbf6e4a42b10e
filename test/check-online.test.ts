// pinyon check --online: a running server verifies its indexes while it writes to them, and tells what is lost.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Connection } from './support/connection.ts';
import { effort } from './support/effort.ts';
import { Random } from './support/random.ts';
import { runCli } from './support/run-cli.ts';
import { API_KEY, type Service, startService } from './support/service.ts';

const DIMENSION = 8;
const RECORDS = 1_000;
const random = new Random(71);
const CHECKS = effort({ daily: 3, long: 30 });

describe('pinyon check --online', () => {
  let service: Service;
  let connection: Connection;
  before(async () => {
    service = await startService();
    const host = await service.createIndex({ name: 'busy', dimension: DIMENSION, metric: 'cosine' });
    connection = new Connection(host);
    for (let first = 0; first < RECORDS; first += 200) await connection.upsert('', recordsFrom(first, 200));
  });
  after(async () => {
    connection.close();
    await service.dispose();
  });

  const cli = (...words: string[]) => runCli(words, { PINYON_URL: service.url, PINYON_API_KEY: API_KEY });

  it('finds an index whole while every record is rewritten', async () => {
    let isOver = false;
    const writing = (async () => {
      for (let round = 0; !isOver; round++)
        await connection.upsert('', recordsFrom((round * 100) % RECORDS, 100));
    })();
    try {
      for (let i = 0; i < CHECKS; i++) {
        const { code, out, err } = await cli('check', '--online', 'busy');
        assert.match(out, /index busy: whole, 1,000 whole records\nEverything is whole\./, err);
        assert.equal(code, 0);
      }
    } finally {
      isOver = true;
      await writing;
    }
  });

  it('tells what is lost by namespace and id, without paths of the server', async () => {
    const [id = ''] = readdirSync(join(service.dataDir, 'indexes'));
    const path = join(service.dataDir, 'indexes', id, 'rows.f32');
    const bytes = readFileSync(path);
    for (let at = 0; at < bytes.length; at += 4 * DIMENSION) bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    writeFileSync(path, bytes);
    const { code, out } = await cli('check', '--online', '--json');
    assert.equal(code, 1);
    assert.ok(!out.includes(service.dataDir), out);
    const { indexes } = JSON.parse(out) as {
      indexes: readonly { namespaces: readonly { lost: number; lost_ids: readonly string[] }[] }[];
    };
    assert.equal(indexes[0]?.namespaces[0]?.lost, RECORDS);
    assert.ok(indexes[0]?.namespaces[0]?.lost_ids.includes('r17'));
    const fetched = await connection.call('GET', '/vectors/fetch?ids=r17');
    assert.equal(fetched.status, 503, fetched.text);
  });
});

function recordsFrom(first: number, count: number) {
  return Array.from({ length: count }, (_, i) => ({
    id: `r${first + i}`,
    values: Array.from({ length: DIMENSION }, () => random.next() + 0.1),
    metadata: { note: 'x'.repeat(50) },
  }));
}
