// Guarantees of settings that hold secrets: what is wrong with one is said without repeating it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BadValue, mailServer } from './setting-kinds.ts';

test('the address of a mail server is taken apart, its password decoded', () => {
  const { host, port, implicitTls, user, password } = mailServer.read('smtps://me:a%2Fb@mail.example.org');
  assert.deepEqual([host, port, implicitTls, user, password], ['mail.example.org', 465, true, 'me', 'a/b']);
});

test('a password that was not encoded is a wrong value like others, and not repeated', () => {
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
