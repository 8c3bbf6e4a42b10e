// Guarantees of the limit of open files: read from what Linux says, unknown elsewhere.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFilesMax } from './open-files.ts';

const LIMITS = (files: string) => `Limit                     Soft Limit           Hard Limit           Units
Max cpu time              unlimited            unlimited            seconds
Max open files            ${files}                 524288               files
`;

test('reads the soft limit of the process, and nothing where there is none', () => {
  assert.equal(
    openFilesMax(() => LIMITS('1024')),
    1_024,
  );
  assert.equal(
    openFilesMax(() => LIMITS('unlimited')),
    null,
  );
  assert.equal(
    openFilesMax(() => {
      throw new Error('ENOENT');
    }),
    null,
  );
});
