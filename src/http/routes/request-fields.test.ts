// The fields of a body: null is as good as absent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyFields } from './request-fields.ts';

test('takes a field that is null for absent, and refuses what is no object', () => {
  const fields = { password: 'x', current_password: null, list: [null], nested: { a: null }, no: false };
  assert.deepEqual(bodyFields(fields), { password: 'x', list: [null], nested: { a: null }, no: false });
  for (const value of [null, undefined, [], 'x', 1]) assert.throws(() => bodyFields(value), /JSON object/);
});
