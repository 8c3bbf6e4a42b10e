// Profiles keep the credentials that they are given, and lose none unnoticed.
import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { runLine } from '../line/run-line.ts';
import { COMMAND_GROUPS } from '../table/command-table.ts';
import { silentIo } from '../testing/fake-server.ts';

const CERTIFICATE = resolve(import.meta.dirname, '../../../test/fixtures/tls/first.cert.pem');
const HERE = ['profile', 'add', 'here', '--url', 'http://localhost:5080'];

async function withProfiles(
  use: (
    folder: string,
    run: (words: readonly string[], input?: string) => Promise<{ code: number | null; text: string }>,
    stored: () => Promise<Record<string, unknown>>,
  ) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pinyon-profile-'));
  const run = async (words: readonly string[], input = '') => {
    const texts: string[] = [];
    const io = silentIo({
      environment: { XDG_CONFIG_HOME: folder },
      out: (text) => texts.push(text),
      err: (text) => texts.push(text),
      input: Readable.from([Buffer.from(input)]),
    });
    const code = await runLine(words, { groups: COMMAND_GROUPS, version: '0' }, io);
    return { code, text: texts.join('') };
  };
  const stored = async () =>
    JSON.parse(await readFile(join(folder, 'pinyon', 'profiles.json'), 'utf8')).profiles.here;
  try {
    await use(folder, run, stored);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('reads the secret of a service account, and refuses an account without one', async () => {
  await withProfiles(async (_, run, stored) => {
    const account = [...HERE, '--client-id', 'id'];
    const refused = await run(account);
    assert.deepEqual([refused.code, /^The secret of service account id/.test(refused.text)], [2, true]);
    await assert.rejects(stored(), { code: 'ENOENT' });
    assert.equal((await run(account, 'secret\n')).code, 0);
    assert.deepEqual(await stored(), {
      url: 'http://localhost:5080',
      client_id: 'id',
      client_secret: 'secret',
    });
    for (const words of [
      ['--client-secret', 'secret'],
      ['--client-id', ''],
      ['--api-key', ''],
    ])
      assert.equal((await run([...HERE, ...words], 'secret\n')).code, 2, words.join(' '));
  });
});

test('keeps the credentials that are not given again, and tells which of another address it removes', async () => {
  await withProfiles(async (_, run, stored) => {
    await run(HERE, 'key\n');
    const account = await run([...HERE, '--client-id', 'id', '--client-secret', 'secret']);
    assert.match(account.text, /It has an API key and a service account\./);
    const both = { api_key: 'key', client_id: 'id', client_secret: 'secret' };
    assert.deepEqual(await stored(), { url: 'http://localhost:5080', ...both });
    await run(HERE);
    assert.deepEqual(await stored(), { url: 'http://localhost:5080', ...both });
    await run([...HERE, '--api-key', 'other']);
    assert.deepEqual(await stored(), { url: 'http://localhost:5080', ...both, api_key: 'other' });
    const moved = await run(['profile', 'add', 'here', '--url', 'http://localhost:5081'], 'third');
    assert.deepEqual(await stored(), { url: 'http://localhost:5081', api_key: 'third' });
    assert.match(moved.text, /What it had for http:\/\/localhost:5080 is removed\./);
  });
});

test('keeps certificates by their whole path, and refuses a file that has none', async () => {
  await withProfiles(async (folder, run, stored) => {
    const path = join(folder, 'ca.pem');
    await copyFile(CERTIFICATE, path);
    assert.equal((await run([...HERE, '--ca', relative('.', path)], 'key')).code, 0);
    assert.equal((await stored()).ca, path);
    await writeFile(join(folder, 'wrong.pem'), 'no certificate');
    for (const [name, code] of [
      ['wrong.pem', 2],
      ['absent.pem', 1],
    ] as const)
      assert.equal((await run([...HERE, '--ca', join(folder, name)], 'key')).code, code, name);
    assert.equal((await stored()).ca, path);
  });
});
