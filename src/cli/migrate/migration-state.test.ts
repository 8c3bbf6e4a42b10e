// Guarantees of the file with the progress of a migration.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { MigrationState } from './migration-state.ts';

test('lets only its owner read the state, also where one was left by a killed command', async () => {
  const folder = mkdtempSync(`${tmpdir()}/pinyon-state-`);
  try {
    const file = `${folder}/state.json`;
    writeFileSync(`${file}.${process.pid}.part`, '', { mode: 0o644 });
    const state = await MigrationState.open(file, ['a', 'b']);
    await state.save();
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.ok((await MigrationState.open(file, ['a', 'b'])).isResumed);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('counts and resumes namespaces of any name, also from a state that an earlier release has saved', async () => {
  const folder = mkdtempSync(`${tmpdir()}/pinyon-state-`);
  try {
    const file = `${folder}/state.json`;
    const names = ['constructor', '__proto__', 'toString', 'films'];
    const first = await MigrationState.open(file, ['a', 'b']);
    for (const [at, name] of names.entries()) {
      const state = first.namespace(name);
      assert.deepEqual({ ...state }, { token: null, isDone: false, records: 0 }, name);
      state.records = at + 1;
      state.unreadable = [`an id ${at}`];
    }
    await first.save();
    for (const state of [first, await MigrationState.open(file, ['a', 'b'])]) {
      assert.equal(state.records, 10);
      assert.deepEqual(
        state.unreadable.map(({ namespace }) => namespace),
        names,
      );
      for (const [at, name] of names.entries()) assert.equal(state.namespace(name).records, at + 1, name);
    }
    const saved = { films: { token: 'next', isDone: false, records: 7 } };
    const content = { version: 1, between: ['a', 'b'], namespaces: saved, sample: [], seen: 0 };
    writeFileSync(file, JSON.stringify(content));
    const earlier = await MigrationState.open(file, ['a', 'b']);
    assert.deepEqual([earlier.records, earlier.namespace('films').token], [7, 'next']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
