// Guarantees of settings that hold secrets: messages about wrong values never repeat them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BadValue, mailServer } from './setting-kinds.ts';

test('parses the address of a mail server and decodes its password', () => {
  const { host, port, implicitTls, user, password } = mailServer.read('smtps://me:a%2Fb@mail.example.org');
  assert.deepEqual([host, port, implicitTls, user, password], ['mail.example.org', 465, true, 'me', 'a/b']);
});

test('rejects a password that is not percent-encoded, without repeating it', () => {
  for (const value of ['smtp://me:50%zz-secret@host', 'smtp://me:secret%ff@host', 'smtp://me:secret%@host']) {
    assert.throws(
      () => mailServer.read(value),
      (error) => {
        assert.ok(error instanceof BadValue);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      },
    );
  }
});
