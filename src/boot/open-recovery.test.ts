// Settings that do not go together with the recovery log are refused, with what to do.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readServerSettings, readSettings, SettingsProblem } from './read-settings.ts';

const RECOVERY = { PINYON_RECOVERY: 'true', PINYON_DATA_DIR: '/srv/data' };
const checked = (env: Readonly<Record<string, string>>) => () => readServerSettings({ ...RECOVERY, ...env });

test('refuses a recovery log that would be lost with the data, or could not be made', () => {
  for (const [env, problem] of [
    [{}, /needs PINYON_BLOBS/],
    [{ PINYON_BLOBS: '/srv/data/blobs' }, /elsewhere than the data directory/],
    [{ PINYON_BLOBS: '/srv/data' }, /elsewhere than the data directory/],
    [{ PINYON_BLOBS: '/mnt/blobs', PINYON_HISTORY_HOURS: '0' }, /PINYON_HISTORY_HOURS/],
    [
      { PINYON_BLOBS: '/mnt/blobs', PINYON_DATABASE_URL: 'postgres://u@h/d' },
      /point-in-time recovery of the database/,
    ],
  ] as const)
    assert.throws(checked(env), problem);
});

test('names all that is wrong at once, as with other settings', () => {
  const wrong = { PINYON_HISTORY_HOURS: '0', PINYON_SMTP_FROM: 'a@b.example' };
  assert.throws(checked(wrong), (error) => error instanceof SettingsProblem && error.problems.length === 3);
});

test('takes a bucket, and a folder beside the data directory', () => {
  checked({ PINYON_BLOBS: '/srv/data-blobs' })();
  checked({ PINYON_BLOBS: 's3://bucket/prefix' })();
  checked({ PINYON_RECOVERY: 'false' })();
});

test('refuses no command that serves nothing, as the one that moves the catalog to PostgreSQL', () => {
  const settings = readSettings({ ...RECOVERY, PINYON_DATABASE_URL: 'postgres://u@h/d' });
  assert.equal(settings.recovery, true);
});
