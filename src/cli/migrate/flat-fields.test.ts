// Guarantees of fields that were nested elsewhere: metadata takes them, and every change is counted.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { flatFields, type NestedMode } from './flat-fields.ts';
import type { Loss } from './losses.ts';

function flat(fields: Readonly<Record<string, unknown>>, nested: NestedMode = 'dots') {
  const losses: Loss[] = [];
  return { fields: flatFields(fields, nested, (loss) => losses.push(loss)), losses };
}

describe('fields of another database', () => {
  it('stay as they are where metadata takes them', () => {
    const fields = { a: 'x', b: 1.5, c: false, d: ['x', 'y'], e: [] };
    assert.deepEqual(flat(fields), { fields, losses: [] });
  });

  it('become flat, and each change is counted', () => {
    const fields = {
      a: null,
      b: { c: 1, d: { e: 'x', f: null } },
      g: [1, true],
      h: [{ i: 1 }],
      j: ['x', null],
    };
    assert.deepEqual(flat(fields), {
      fields: { 'b.c': 1, 'b.d.e': 'x', g: ['1', 'true'], h: '[{"i":1}]', j: ['x'] },
      losses: ['nulls', 'nested', 'nested', 'nulls', 'numberLists', 'lists', 'nulls'],
    });
    assert.deepEqual(flat({ b: { c: null } }, 'json'), { fields: { b: '{"c":null}' }, losses: ['nested'] });
  });

  it('are counted where two become one, of which the first stays', () => {
    const both = { 'author.name': 'Ann', author: { name: 'Bea', age: 4 } };
    assert.deepEqual(flat(both), {
      fields: { 'author.name': 'Ann', 'author.age': 4 },
      losses: ['nested', 'twice'],
    });
    assert.deepEqual(flat(both, 'json').losses, ['nested']);
  });

  it('stay where their name has a meaning in JavaScript', () => {
    const fields = JSON.parse('{"__proto__":"x","constructor":1,"a":{"__proto__":2}}');
    const { fields: found } = flat(fields);
    assert.equal(JSON.stringify(found), '{"__proto__":"x","constructor":1,"a.__proto__":2}');
  });
});
