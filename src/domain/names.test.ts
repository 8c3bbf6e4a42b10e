// The rule for names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Fault } from './faults.ts';
import { generateIndexName, projectShortId } from './ids.ts';
import { checkName } from './names.ts';
import { ANY_CHARACTER } from './testing/any-character.ts';

const SETTINGS = { seed: 3, numRuns: 300 };
const INNER = [...'abcdefghijklmnopqrstuvwxyz0123456789-'];
const ENDS = INNER.filter((letter) => letter !== '-');

function refused(name: string): boolean {
  try {
    checkName(name);
    return false;
  } catch (error) {
    assert.ok(error instanceof Fault && error.condition === 'invalid-argument');
    return true;
  }
}

test('accepts every name of allowed characters, alphanumeric at both ends, up to 45 characters', () => {
  const inner = fc.string({ unit: fc.constantFrom(...INNER), maxLength: 43 });
  const end = fc.constantFrom(...ENDS);
  fc.assert(
    fc.property(end, inner, end, (first, middle, last) => !refused(first + middle + last) && !refused(first)),
    SETTINGS,
  );
});

test('refuses every other name', () => {
  const allowed = new Set(INNER);
  fc.assert(
    fc.property(fc.string({ unit: ANY_CHARACTER, maxLength: 60 }), (name) => {
      const letters = [...name];
      const fits =
        letters.length >= 1 &&
        letters.length <= 45 &&
        letters.every((letter) => allowed.has(letter)) &&
        !name.startsWith('-') &&
        !name.endsWith('-');
      return refused(name) === !fits;
    }),
    SETTINGS,
  );
  for (const name of ['', '-', 'a-', '-a', 'a\n', 'A', 'a_b', 'a.b', 'é', 'a'.repeat(46)])
    assert.ok(refused(name), name);
});

test('generates different names that follow the rule', () => {
  const names = Array.from({ length: 100 }, generateIndexName);
  for (const name of names) checkName(name);
  assert.equal(new Set(names).size, 100);
});

test('derives a stable short id of seven letters or digits from a project id', () => {
  fc.assert(
    fc.property(fc.uuid(), (id) => /^[0-9a-z]{7}$/.test(projectShortId(id))),
    SETTINGS,
  );
  // Clients store host names that contain it.
  assert.equal(projectShortId('project-1'), 'yvjmpx9');
});
