// Guarantees of kinds of settings: what they read, and that messages about wrong values repeat no secrets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BadValue, blobPlace, mailServer, nodeSecret } from './setting-kinds.ts';

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

test('reads the folder of blobs as a path and as a URL', () => {
  assert.deepEqual(blobPlace.read('/blobs'), { kind: 'folder', path: '/blobs' });
  assert.deepEqual(blobPlace.read('file:///blobs/a%20b'), { kind: 'folder', path: '/blobs/a b' });
  assert.deepEqual(blobPlace.read('s3://bucket/some/prefix'), {
    kind: 's3',
    bucket: 'bucket',
    prefix: 'some/prefix',
  });
  for (const value of ['file://host/blobs', 'file:///a%2fb', 's3:bucket'])
    assert.throws(() => blobPlace.read(value), BadValue);
});

test('takes secrets of nodes of 32 characters and more, and repeats no shorter one', () => {
  const secret = 'x'.repeat(32);
  assert.equal(nodeSecret.read(secret), secret);
  assert.throws(
    () => nodeSecret.read(secret.slice(1)),
    (error) => error instanceof BadValue && /32 to 512/.test(error.message) && !error.message.includes('xx'),
  );
});
