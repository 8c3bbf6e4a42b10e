// How identity is put together.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { readKeptSessions } from '../app/access/kept-sessions.ts';
import { memoryCatalog } from '../http/testing/fakes.ts';
import { openIdentity } from './open-identity.ts';
import { readSettings } from './read-settings.ts';

test('keeps on disk what the console was told of a sign-in and a sign-out, also on one node', async () => {
  const catalog = await memoryCatalog();
  const { firstAccess, sessions, sessionKeeper } = await openIdentity({
    catalog,
    settings: readSettings({}),
    logger: pino({ level: 'silent' }),
    baseUrl: () => 'http://localhost',
  });
  const { organizationId } = firstAccess;
  const principal = { type: 'api_key', id: 'key' } as const;
  const { cookie } = sessions.open({ principal, organizationId }, 'localhost');
  await sessions.saved();
  assert.equal((await readKeptSessions(catalog.settings)).length, 1);
  sessions.end(cookie);
  await sessions.saved();
  assert.deepEqual(await readKeptSessions(catalog.settings), []);
  await sessionKeeper.close();
  await catalog.close();
});
