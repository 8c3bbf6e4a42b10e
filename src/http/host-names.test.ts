// Guarantees of host names: on a loopback address only names of the server itself, and never two of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../domain/faults.ts';
import { type HostNames, hostCheck } from './host-names.ts';
import { openRaw } from './testing/raw-client.ts';
import { KEY_A, startTestServer } from './testing/start-test-server.ts';

const USUAL: HostNames = {
  bind: '127.0.0.1',
  publicHost: 'vectors.lan',
  publicDomain: 'example.org',
  allowedHosts: null,
};

function isAdmitted(host: string, names: Partial<HostNames> = {}): boolean {
  try {
    hostCheck({ ...USUAL, ...names })(host);
    return true;
  } catch (error) {
    assert.ok(error instanceof Fault && error.condition === 'host-not-allowed');
    return false;
  }
}

test('admits loopback names and the names of the server, with any port and spelling', () => {
  const own = [
    'localhost',
    'LOCALHOST:5080',
    'a.localhost',
    '127.0.0.1:5081',
    '127.1.2.3',
    '[::1]',
    '[::1]:5080',
  ];
  const names = [
    'vectors.lan',
    'vectors.lan.',
    'Vectors.Lan:80',
    'example.org',
    'books-abc.example.org:443',
    '',
  ];
  for (const host of [...own, ...names]) assert.ok(isAdmitted(host), host);
});

test('refuses other names on a loopback address, those that resemble its own too', () => {
  const others = [
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'xexample.org',
    '10.0.0.1',
  ];
  for (const host of [...others, 'evil.example:5080', '[::2]']) assert.ok(!isAdmitted(host), host);
});

test('admits the names of the setting, any with a star, and any where other machines reach the server', () => {
  assert.ok(isAdmitted('db.internal:5080', { allowedHosts: ['db.internal'] }));
  assert.ok(!isAdmitted('db.other', { allowedHosts: ['db.internal'] }));
  assert.ok(isAdmitted('db.other', { allowedHosts: ['*'] }));
  assert.ok(isAdmitted('db.other', { bind: '0.0.0.0' }));
});

test('answers 403 under a foreign name before it looks at the key, and 400 to two names', async () => {
  const { server, port } = await startTestServer({ settings: { allowedHosts: null } });
  const ask = async (...hosts: readonly string[]) => {
    const lines = hosts.map((host) => `host: ${host}\r\n`).join('');
    const head = `GET /things HTTP/1.1\r\n${lines}api-key: ${KEY_A}\r\nconnection: close\r\n\r\n`;
    return (await openRaw(port, head).closed).toString();
  };
  assert.match(await ask(`localhost:${port}`), /^HTTP\/1\.1 200 /);
  assert.match(await ask('evil.example'), /^HTTP\/1\.1 403 .*PERMISSION_DENIED.*PINYON_ALLOWED_HOSTS/is);
  assert.match(await ask('localhost', 'localhost'), /^HTTP\/1\.1 400 .*more than one Host header/is);
  assert.match(await ask('localhost', 'evil.example'), /^HTTP\/1\.1 400 /);
  await server.stop();
});
