// Which indexes can be copied.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fakeIndex } from '../../http/testing/fakes.ts';
import { requireBackupSource } from './archive-rules.ts';

it('refuses to copy an index that is being deleted as one that is not there, and a new one as not ready', () => {
  const index = (state: Parameters<typeof fakeIndex>[0]['state'] & string) =>
    fakeIndex({ id: 'a', projectId: 'p', state });
  assert.throws(() => requireBackupSource(index('Terminating')), {
    condition: 'index-not-found',
    status: 404,
  });
  assert.throws(() => requireBackupSource(index('Initializing')), {
    condition: 'index-not-ready',
    status: 503,
  });
  requireBackupSource(index('Ready'));
});
