// Deleted projects are eventually removed, whatever prevents it at first.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccessChange } from '../../catalog/port.ts';
import { eventually } from '../indexes/testing/control-plane.ts';
import { ProjectPurge } from './project-purge.ts';

class FakeAdministration {
  /** The result or error of each purge. */
  outcomes: (number | Error)[] = [];
  purges = 0;
  tell: (change: AccessChange) => void = () => undefined;

  readonly access = {
    onChange: (listener: (change: AccessChange) => void): void => {
      this.tell = listener;
    },
  };

  readonly projects = {
    purge: async (): Promise<number> => {
      this.purges += 1;
      const outcome = this.outcomes.shift() ?? 0;
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
  };
}

function make() {
  const administration = new FakeAdministration();
  const failures: unknown[] = [];
  const purge = new ProjectPurge({
    administration,
    onFailure: (error) => failures.push(error),
    retryMilliseconds: 2,
  });
  return { administration, failures, purge };
}

test('purges what an earlier run left, and repeats until nothing is left', async () => {
  const { administration, purge } = make();
  administration.outcomes = [2, 1, 0];
  purge.start();
  await eventually(() => administration.purges === 3);
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(administration.purges, 3);
  await purge.close();
});

test('starts after a deletion, and after no other change', async () => {
  const { administration, purge } = make();
  const project = { id: 'project-1', organizationId: 'organization-1', name: 'First' };
  administration.tell({ kind: 'project', project });
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(administration.purges, 0);
  administration.tell({ kind: 'project-gone', id: project.id });
  await eventually(() => administration.purges === 1);
  await purge.close();
});

test('reports a failure and tries again', async () => {
  const { administration, failures, purge } = make();
  const problem = new Error('disk full');
  administration.outcomes = [problem, 0];
  purge.start();
  await eventually(() => administration.purges === 2);
  assert.deepEqual(failures, [problem]);
  await purge.close();
});

test('starts nothing once it is closed', async () => {
  const { administration, purge } = make();
  await purge.close();
  administration.tell({ kind: 'project-gone', id: 'project-1' });
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(administration.purges, 0);
});
