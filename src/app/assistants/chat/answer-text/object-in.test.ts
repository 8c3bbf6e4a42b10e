// Tests which object of a model's answer is the answer: all of one, or none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectIn } from './object-in.ts';

const INNER = '{"name": "Ann", "age": 7}';

test('finds the longest object, in whatever prose', () => {
  assert.equal(objectIn(`Sure {as you wish}:\n\`\`\`json\n${INNER}\n\`\`\`\nor {"d":2}. Done.`), INNER);
  assert.equal(objectIn(`As [1] says of [0, 1): ${INNER}`), INNER);
  assert.equal(objectIn(`[as asked] ${INNER} [see {it}]`), INNER);
  assert.equal(objectIn('{"a": "}{[\\""}'), '{"a": "}{[\\""}');
});

test('takes no part of an object that is not valid for the whole', () => {
  for (const text of [`{"best": ${INNER}, "rest": [],}`, `{best: ${INNER}}`, `{"a": ${INNER} "b": ${INNER}}`])
    assert.equal(objectIn(text), null, text);
  assert.equal(objectIn(`{"best": ${INNER},} No: {"best": 1}`), '{"best": 1}');
});

test('takes no part of an object that was cut off', () => {
  for (const text of [`{"best": ${INNER}, "rest": [${INNER}, {"na`, `{"best": ${INNER}`])
    assert.equal(objectIn(text), null, text);
});

test('takes no object out of a list, whole or cut off', () => {
  for (const text of [
    `[${INNER}, {"d": 2}]`,
    `[1, ${INNER}]`,
    `Here:\n[\n ${INNER},\n]`,
    `[${INNER}, {"na`,
    `[[${INNER}`,
  ])
    assert.equal(objectIn(text), null, text);
});

test('reads a text of braces and brackets in little time', () => {
  for (const sign of ['{', '[', '[0 ', '{}', '[]', '{"'])
    assert.equal(objectIn(sign.repeat(100_000)), sign === '{}' ? '{}' : null);
});
