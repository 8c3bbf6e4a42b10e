// Whoever may read the data directory is never locked out: `pinyon admin reset-credentials` on a stopped server.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { call } from './support/call.ts';
import { COMMAND, REPOSITORY } from './support/program.ts';
import { newService, type Service } from './support/service.ts';

const OWNER = {
  PINYON_ADMIN_CLIENT_ID: 'ring3-owner',
  PINYON_ADMIN_CLIENT_SECRET: 'ring3-secret-of-the-owner',
};

describe('lost credentials', () => {
  let service: Service;
  before(async () => {
    service = await newService();
    await service.start({ env: OWNER });
  });
  after(() => service.dispose());

  function reset(dataDir = service.dataDir, ...options: readonly string[]) {
    const { PATH = '', HOME = '' } = process.env;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [COMMAND, 'admin', 'reset-credentials', ...options],
      {
        cwd: REPOSITORY,
        env: { PATH, HOME, PINYON_DATA_DIR: dataDir },
        encoding: 'utf8',
      },
    );
    return { status, stdout, stderr };
  }

  function exchange(clientId: string, clientSecret: string) {
    const body = {
      client_id: clientId,
      client_secret: clientSecret,
      grant_type: 'client_credentials',
      audience: 'https://api.pinecone.io/',
    };
    return call(service.url, 'POST', '/oauth/token', { body });
  }

  test('changes nothing while the server runs, and says why', async () => {
    const { status, stderr } = reset();
    assert.equal(status, 1);
    assert.match(stderr, /in use by another process/);
    assert.equal((await exchange('ring3-owner', 'ring3-secret-of-the-owner')).status, 200);
  });

  test('prints working credentials of a stopped server, and invalidates the old secret', async () => {
    await service.stop();
    const { status, stdout } = reset();
    assert.equal(status, 0);
    const [, clientId = ''] = /Client id\s+(\S+)/.exec(stdout) ?? [];
    const [, secret = ''] = /Client secret\s+(\S+)/.exec(stdout) ?? [];
    const [, key = ''] = /API key\s+(\S+)/.exec(stdout) ?? [];
    assert.equal(clientId, 'ring3-owner');
    await service.start();
    assert.equal((await exchange(clientId, 'ring3-secret-of-the-owner')).status, 401);
    const { status: granted, body } = await exchange(clientId, secret);
    assert.equal(granted, 200);
    const token = (body as { readonly access_token: string }).access_token;
    const headers = { authorization: `Bearer ${token}` };
    const organizations = await fetch(`${service.url}/admin/organizations`, { headers });
    assert.equal(organizations.status, 200);
    assert.equal((await call(service.url, 'GET', '/indexes', { key })).status, 200);
  });

  test('prints them as one line of JSON for a script', async () => {
    await service.stop();
    const { stdout } = reset(service.dataDir, '--json');
    const printed = JSON.parse(stdout) as Record<string, string>;
    assert.deepEqual(Object.keys(printed), ['client_id', 'client_secret', 'api_key']);
    await service.start();
    assert.equal((await exchange(printed.client_id ?? '', printed.client_secret ?? '')).status, 200);
    assert.equal((await call(service.url, 'GET', '/indexes', { key: printed.api_key ?? '' })).status, 200);
  });

  test('reports missing data, and creates none', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pinyon-empty-'));
    const { status, stderr } = reset(join(folder, 'nothing'));
    rmSync(folder, { recursive: true });
    assert.equal(status, 1);
    assert.match(stderr, /there is no catalog/);
  });
});
