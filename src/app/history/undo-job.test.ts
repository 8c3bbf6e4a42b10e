// The job that undoes: what a retry would meet again ends it at once, and what must not change is left and named.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JobStore } from '../../catalog/port.ts';
import { type AliasTable, readAliases, shareAliases } from '../../domain/aliases/alias-names.ts';
import type { IndexEmbedding } from '../../domain/embedding/index-embedding.ts';
import { type Fault, fault } from '../../domain/faults.ts';
import { changedIndex } from '../../domain/index-change.ts';
import type { IndexChange } from '../../domain/index-lifecycle.ts';
import { type Index, profileOf } from '../../domain/index-model.ts';
import type { Job, NewJob } from '../../domain/jobs.ts';
import { overloaded } from '../../domain/overload.ts';
import type { IndexHistory, RollBackRequest } from '../../engine/port/index-history.ts';
import { JobFailure, type JobRun } from '../../jobs/port.ts';
import { untouched } from '../../platform/testing/untouched.ts';
import { NEW_INDEX, OWNER } from '../indexes/testing/control-plane.ts';
import { UNDO_KIND, type UndoInput, undoJob, undoOf } from './undo-job.ts';

const INDEX: Index = {
  ...NEW_INDEX,
  ...{ id: 'index-1', projectId: 'project-1', state: 'Ready', port: null, createdAt: '' },
};
const PROFILE = profileOf(INDEX);
const NO_JOBS = { items: [], next: null };
const SOURCE = { provider: 'test', revision: '1' };
const EMBED: IndexEmbedding = {
  ...{ model: 'm', textField: 'text', writeParameters: {}, readParameters: {} },
  ...{ source: SOURCE, remaking: null },
};
const INPUT: UndoInput = { namespace: 'n', toLsn: 1, begunLsn: 2, storageId: PROFILE.id };

interface Undone {
  readonly history: Partial<IndexHistory>;
  readonly input?: UndoInput;
  readonly aliases?: AliasTable | (() => AliasTable);
  readonly host?: Host;
}

/** The index, and the jobs of it that were stored. */
class Host {
  index: Index;
  readonly enqueued: NewJob[] = [];
  active: Job[] = [];

  constructor(embed: IndexEmbedding | null = null) {
    this.index = { ...INDEX, embed };
  }

  get parts() {
    return {
      catalog: {
        jobs: { ...untouched<JobStore>(), active: async () => this.active, list: async () => NO_JOBS },
      },
      jobs: {
        enqueue: async (job: NewJob) => {
          this.enqueued.push(job);
          const stored = { ...job, state: 'Pending' } as Job;
          this.active.push(stored);
          return stored;
        },
      },
      indexes: {
        byId: () => this.index,
        configure: async (_: unknown, __: string, change: IndexChange) => {
          this.index = changedIndex(this.index, change);
          return this.index;
        },
      },
      accessTo: () => OWNER,
    };
  }
}

/** @returns the job with its last checkpoint */
async function run({ history, input = INPUT, aliases, host = new Host() }: Undone): Promise<Job> {
  let job = { id: 'job-1', kind: UNDO_KIND, indexId: PROFILE.id, input, progress: null } as Job;
  const run: JobRun = {
    job,
    signal: new AbortController().signal,
    percent: () => undefined,
    checkpoint: async (progress) => {
      job = { ...job, progress };
    },
  };
  const shared = () => {
    const table = typeof aliases === 'function' ? aliases() : aliases;
    return table && shareAliases(table);
  };
  const kind = undoJob({
    ...host.parts,
    engine: { history: () => ({ ...untouched<IndexHistory>(), ...history }) },
    aliases: {
      shared,
      isAlias: (_, name) => {
        const table = shared();
        return table !== undefined && readAliases(table).isAlias(name);
      },
    },
    profile: () => PROFILE,
  });
  await kind.run(run);
  return job;
}

const runFailingBy = (error: Fault) => run({ history: { rollBack: () => Promise.reject(error) } });

it('ends at once where records are damaged or the index is gone, and is repeated after other faults', async () => {
  const { name } = PROFILE;
  for (const error of [
    fault('record-damaged', { name }),
    fault('index-damaged', { name }),
    fault('index-not-found', { name }),
  ])
    await assert.rejects(runFailingBy(error), JobFailure);
  const passing = fault('shutting-down');
  await assert.rejects(runFailingBy(passing), (error) => error === passing);
});

describe('namespaces and aliases of one name', () => {
  const aliases = { targets: [['alias', 'target']] as const, reserved: null };
  const rolledBack: RollBackRequest[] = [];
  const history: Partial<IndexHistory> = {
    changedNamespaces: async () => ['alias', 'n', 'target'],
    rollBack: async (request) => {
      rolledBack.push(request);
      const left = request.isNeeded === true ? 'needed' : null;
      return { isDone: true, share: 1, restored: 1, removed: 0, left };
    },
  };

  it('do not come from an undo of all, which leaves both and says why', async () => {
    const { left, restored } = undoOf(await run({ history, aliases, input: { ...INPUT, namespace: null } }));
    assert.deepEqual(
      left.map(({ namespace }) => namespace),
      ['alias', 'target'],
    );
    assert.equal(restored, 2);
    assert.deepEqual(
      rolledBack.map(({ namespace, isNeeded }) => [namespace, isNeeded]),
      [
        ['n', false],
        ['target', true],
      ],
    );
  });

  it('do not come from an undo of one of them, which fails', async () => {
    for (const namespace of ['alias', 'target']) {
      const undone = run({ history, aliases, input: { ...INPUT, namespace } });
      await assert.rejects(undone, (error) => error instanceof JobFailure && /alias/.test(error.message));
    }
  });
});

describe('aliases that are made during an undo', () => {
  const NONE: AliasTable = { targets: [], reserved: null };

  it('are respected by what is repeated because the server was busy', async () => {
    let aliases = NONE;
    const needed: (boolean | undefined)[] = [];
    const rollBack = async ({ isNeeded }: RollBackRequest) => {
      needed.push(isNeeded);
      aliases = { ...NONE, reserved: { name: 'live', target: 'n' } };
      if (needed.length === 1) throw overloaded();
      return { isDone: true, share: 1, restored: 0, removed: 0, left: 'needed' } as const;
    };
    const undone = run({ history: { rollBack }, aliases: () => aliases });
    await assert.rejects(undone, /an alias leads to it/);
    assert.deepEqual(needed, [false, true]);
  });

  it('are respected by what comes after texts were refused', async () => {
    let aliases = NONE;
    const host = new Host({ ...EMBED, remade: { storageId: PROFILE.id, lsn: 5, ms: 0 } });
    const whyLeft = async () => {
      aliases = { ...NONE, reserved: { name: 'n', target: 'target' } };
      return null;
    };
    const undone = run({ history: { whyLeft }, host, aliases: () => aliases });
    await assert.rejects(undone, /an alias has its name/);
  });
});

describe('an undo of an index whose texts are embedded', () => {
  const history: Partial<IndexHistory> = {
    whyLeft: async () => null,
    rollBack: async () => ({ isDone: true, share: 1, restored: 1, removed: 0, left: null }),
  };
  const remade = { storageId: PROFILE.id, lsn: 5, ms: 0 };

  it('does not begin while vectors are made anew', async () => {
    const host = new Host({ ...EMBED, remaking: { ...SOURCE, revision: '2' } });
    await assert.rejects(run({ history, host }), JobFailure);
  });

  it('has texts refused and vectors made anew where it goes back behind the last re-embedding', async () => {
    const host = new Host({ ...EMBED, remade });
    await run({ history, host, input: { ...INPUT, toLsn: 4 } });
    assert.deepEqual(host.index.embed?.remaking, SOURCE);
    assert.deepEqual(
      host.enqueued.map(({ kind, indexId }) => [kind, indexId]),
      [['reembed', PROFILE.id]],
    );
  });

  it('changes nothing of that where it does not, or where that was of another storage', async () => {
    for (const [embed, toLsn] of [
      [{ ...EMBED, remade }, 5],
      [{ ...EMBED, remade: { ...remade, storageId: 'former' } }, 4],
      [EMBED, 4],
    ] as const) {
      const host = new Host(embed);
      await run({ history, host, input: { ...INPUT, toLsn } });
      assert.equal(host.index.embed?.remaking, null);
      assert.deepEqual(host.enqueued, []);
    }
  });

  it('has nothing refused or made anew where all that it names is left as it is', async () => {
    const aliases = { targets: [['n', 'target']] as const, reserved: null };
    const left: Partial<IndexHistory> = {
      changedNamespaces: async () => ['n', 'm'],
      whyLeft: async () => 'shared-branch',
    };
    for (const [namespace, undone] of [
      ['n', { history: {}, aliases }],
      ['n', { history: left }],
      [null, { history: left }],
    ] as const) {
      const host = new Host({ ...EMBED, remade });
      const ended = run({ ...undone, host, input: { ...INPUT, toLsn: 4, namespace } });
      if (namespace === null) assert.equal(undoOf(await ended).left.length, 2);
      else await assert.rejects(ended, JobFailure);
      assert.equal(host.index.embed?.remaking, null);
      assert.deepEqual(host.enqueued, []);
    }
  });

  it('has texts refused before the first namespace that goes back, behind those that are left', async () => {
    const host = new Host({ ...EMBED, remade });
    const remaking: unknown[] = [];
    const some: Partial<IndexHistory> = {
      changedNamespaces: async () => ['branch', 'n', 'm'],
      whyLeft: async ({ namespace }) => {
        remaking.push(host.index.embed?.remaking);
        return namespace === 'branch' ? 'shared-branch' : null;
      },
      rollBack: async () => {
        remaking.push(host.index.embed?.remaking);
        return { isDone: true, share: 1, restored: 1, removed: 0, left: null };
      },
    };
    await run({ history: some, host, input: { ...INPUT, toLsn: 4, namespace: null } });
    assert.deepEqual(remaking, [null, null, SOURCE, SOURCE]);
    assert.equal(host.enqueued.length, 1);
  });

  it('has vectors made anew in the end where a re-embedding that was active took no notice of it', async () => {
    const host = new Host({ ...EMBED, remade });
    host.active = [{ kind: 'reembed', state: 'Running' } as Job];
    const rollBack = async () => {
      host.active = [];
      throw fault('record-damaged', { name: INDEX.name });
    };
    await assert.rejects(
      run({ history: { ...history, rollBack }, host, input: { ...INPUT, toLsn: 4 } }),
      JobFailure,
    );
    assert.deepEqual(
      host.enqueued.map(({ kind }) => kind),
      ['reembed'],
    );
  });
});
