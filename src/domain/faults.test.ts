import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMINISTRATION_FAULTS } from './faults/administration.ts';
import { ALIAS_FAULTS } from './faults/aliases.ts';
import { ANY_SURFACE_FAULTS } from './faults/any-surface.ts';
import { ASSISTANT_FAULTS } from './faults/assistants.ts';
import { CONTROL_FAULTS } from './faults/control.ts';
import { DATA_FAULTS } from './faults/data.ts';
import { INFERENCE_FAULTS } from './faults/inference.ts';
import { JUDGMENT_FAULTS } from './faults/judgments.ts';
import { FAULTS, fault } from './faults.ts';

test('gives no condition the same name in two planes', () => {
  const names = [
    ANY_SURFACE_FAULTS,
    CONTROL_FAULTS,
    INFERENCE_FAULTS,
    ASSISTANT_FAULTS,
    ADMINISTRATION_FAULTS,
    DATA_FAULTS,
    ALIAS_FAULTS,
    JUDGMENT_FAULTS,
  ].flatMap((plane) => Object.keys(plane));
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual(Object.keys(FAULTS).toSorted(), names.toSorted());
});

test('fills the placeholders of a message, also twice and with text that looks like a placeholder', () => {
  const { message, status, code } = fault('path-not-found', { method: 'GET', path: '/{method}' });
  assert.deepEqual(
    { message, status, code },
    { message: 'No such path: GET /{method}', status: 404, code: 'NOT_FOUND' },
  );
});
