// The rules of alias names, and the table that threads share.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../faults.ts';
import { checkAliasName, checkTarget } from './alias-model.ts';
import { readAliases, shareAliases } from './alias-names.ts';

function reasonOf(work: () => unknown): string | undefined {
  try {
    work();
    return 'none';
  } catch (error) {
    assert.ok(error instanceof Fault);
    return error.reason;
  }
}

test('accepts printable names without reserved characters, up to the limit', () => {
  for (const name of ['a', 'A-b_c.d~!$', '...', '__proto__', 'x'.repeat(512)]) {
    assert.equal(checkAliasName(name), name);
  }
  const reserved = [...' /?#%&=\\;+'].map((char) => `a${char}b`);
  for (const name of ['', '.', '..', '__default__', 'é', 'a\0', 'x'.repeat(513), 5, null, ...reserved]) {
    assert.equal(
      reasonOf(() => checkAliasName(name)),
      'ALIAS_NAME_INVALID',
      String(name),
    );
  }
});

test('gives every bad target its reason', () => {
  assert.equal(checkTarget('__default__'), '');
  assert.equal(checkTarget('x'.repeat(512)).length, 512);
  for (const [target, reason] of [
    [undefined, 'TARGET_NAMESPACE_REQUIRED'],
    ['', 'TARGET_NAMESPACE_REQUIRED'],
    ['x'.repeat(513), 'NAMESPACE_TOO_LONG'],
    ['é', 'NAMESPACE_INVALID'],
    ['a\0', 'NAMESPACE_INVALID'],
    [5, 'NAMESPACE_INVALID'],
  ] as const) {
    assert.equal(
      reasonOf(() => checkTarget(target)),
      reason,
    );
  }
});

test('shares aliases of any name, and nothing when there are none', () => {
  assert.equal(shareAliases({ targets: [], reserved: null }), undefined);
  const shared = shareAliases({
    targets: [
      ['__proto__', ''],
      ['live', 'v1'],
    ],
    reserved: { name: 'next', target: 'v2' },
  });
  assert.ok(shared !== undefined);
  const names = readAliases(structuredClone(shared));
  assert.equal(names.target('__proto__'), '');
  assert.equal(names.target('live'), 'v1');
  assert.equal(names.target('next'), undefined, 'reads do not resolve a reserved alias');
  assert.equal(names.target('constructor'), undefined);
  assert.deepEqual(
    ['live', 'next', 'v1'].map((name) => names.isAlias(name)),
    [true, true, false],
  );
  assert.deepEqual(
    ['', 'v1', 'v2', 'live'].map((name) => names.isTarget(name)),
    [true, true, true, false],
  );
});
