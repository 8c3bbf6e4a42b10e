// Guarantees of the operating system's errors: those that are nobody's bug are 503 with their meaning, no others are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemFault } from './system-faults.ts';

const withCode = (code: string, message = `${code}: failed, open 'x'`) =>
  Object.assign(new Error(message), { code });

test('reports a process without file descriptors as 503, whatever its libraries call it', () => {
  const errors = [
    withCode('EMFILE'),
    withCode('ENFILE'),
    Object.assign(new Error('Too many open files'), { code: 24 }),
    new Error('Worker initialization failure: EMFILE'),
  ];
  for (const error of errors) {
    const fault = systemFault(error);
    assert.deepEqual([fault?.status, fault?.condition], [503, 'out-of-files'], error.message);
  }
});

test('reports a full disk as a full disk, whatever its libraries call it', () => {
  const errors = [
    withCode('ENOSPC'),
    Object.assign(new Error('No space left on device'), { code: 28 }),
    new Error('database or disk is full'),
    new Error('The folder cannot be used', { cause: withCode('ENOSPC') }),
  ];
  for (const error of errors) {
    const fault = systemFault(error);
    assert.deepEqual([fault?.status, fault?.condition], [503, 'storage-full'], error.message);
    assert.match(fault?.message ?? '', /the disk is full \(ENOSPC\)/);
  }
});

test('reports an input or output error of a disk, whatever its libraries call it', () => {
  for (const text of ['Input/output error', 'EIO: i/o error, write', 'i/o error'])
    assert.match(systemFault(new Error(text))?.message ?? '', /input\/output error \(EIO\)/);
});

test('reports files that the user may not use as 503, whatever its libraries call it', () => {
  const errors = [
    withCode('EACCES'),
    Object.assign(new Error('Permission denied: Attempting to open main database file'), { code: 13 }),
    new Error("EACCES: permission denied, open 'rows.f32'"),
  ];
  for (const error of errors) {
    const fault = systemFault(error);
    assert.deepEqual([fault?.status, fault?.condition], [503, 'storage-full'], error.message);
    assert.match(fault?.message ?? '', /its user may not use a file or folder there \(EACCES\)/);
  }
  assert.match(systemFault(withCode('EPERM'))?.message ?? '', /\(EPERM\)/);
  // Of a database, whose users are others.
  assert.equal(systemFault(withCode('42501', 'permission denied for table indexes')), undefined);
});

test('leaves every other error alone', () => {
  for (const error of [new TypeError('x'), withCode('ENOENT'), 'EMFILE', undefined, new Error('quota')]) {
    assert.equal(systemFault(error), undefined);
  }
});
