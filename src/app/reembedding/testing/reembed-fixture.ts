// An index whose records are embedded again, with runs of the job on it.

import assert from 'node:assert/strict';
import { mintProjectAccess } from '../../../domain/access.ts';
import type { IndexEmbedding } from '../../../domain/embedding/index-embedding.ts';
import { fault } from '../../../domain/faults.ts';
import { changedIndex } from '../../../domain/index-change.ts';
import { type Index, profileOf } from '../../../domain/index-model.ts';
import type { Job } from '../../../domain/jobs.ts';
import type { StorableRecord } from '../../../domain/records/record.ts';
import type { IndexCopies, RecordPosition } from '../../../engine/port/index-copies.ts';
import { packRecords } from '../../../engine/port/packed-records.ts';
import type { RecordChange, VectorWriter } from '../../../engine/port/reader-and-writer.ts';
import { testInference } from '../../../inference/testing/test-inference.ts';
import { runningJob } from '../../../jobs/testing/running-job.ts';
import { untouched } from '../../../platform/testing/untouched.ts';
import { NEW_INDEX, OWNER } from '../../indexes/testing/control-plane.ts';
import { reembedJob } from '../reembed-job.ts';
import { progressOf, type ReembedProgress } from '../reembed-progress.ts';
import { ReembedService, type ReembedServiceParts } from '../reembed-service.ts';

export const DIMENSION = 384;
export const EMBED: IndexEmbedding = {
  model: 'llama-text-embed-v2',
  textField: 'text',
  writeParameters: { truncate: 'NONE' },
  readParameters: {},
  source: { provider: 'test', revision: '1' },
  remaking: null,
};
export const JOB: Job = runningJob({
  ...{ id: 'job', kind: 'reembed', projectId: 'project-1', indexId: 'index', input: {} },
  createdAt: '2026-07-01T00:00:00.000Z',
});
const PAGE = 100;

interface Place {
  readonly namespace: string;
  /** Null for an empty namespace. */
  readonly record: StorableRecord | null;
}

/** One index in memory, with runs of the job on it. */
export class ReembedFixture {
  readonly inference = testInference();
  index: Index;
  job = JOB;
  /** Ids whose vectors were written, by namespace, in order. */
  readonly written: string[] = [];
  readonly #namespaces: ReadonlyMap<string, readonly StorableRecord[]>;
  /** Undos and merges that are under way, as each look sees them. */
  copies: Job[] = [];
  /** Called before each write. */
  atWrite: () => void = () => undefined;
  onChange = ({ values, sparse, setMetadata }: RecordChange): void =>
    assert.deepEqual([values?.length, sparse, setMetadata], [DIMENSION, null, null]);

  constructor(
    namespaces: Readonly<Record<string, readonly StorableRecord[]>>,
    embed: IndexEmbedding | null = EMBED,
  ) {
    this.#namespaces = new Map(Object.entries(namespaces));
    const fields = {
      id: 'index',
      projectId: 'project-1',
      state: 'Ready',
      port: null,
      createdAt: '',
    } as const;
    this.index = { ...NEW_INDEX, ...fields, dimension: DIMENSION, embed };
  }

  async run(signal = new AbortController().signal): Promise<void> {
    const kind = reembedJob({
      catalog: {
        jobs: { active: async ({ kind }) => (this.copies[0]?.kind === kind ? this.copies.splice(0, 1) : []) },
      },
      inference: this.inference,
      indexes: {
        byId: () => this.index,
        configure: async (_, __, change) => {
          this.index = changedIndex(this.index, change);
          return this.index;
        },
      },
      profile: () => profileOf(this.index),
      accessTo: () => mintProjectAccess(OWNER),
      engine: {
        copies: () => ({
          ...untouched<IndexCopies>(),
          read: async (options) => this.#reading(options?.after),
        }),
        writer: () => ({
          ...untouched<VectorWriter>(),
          updateMany: async (namespace, changes) => {
            this.atWrite();
            for (const change of changes) this.onChange(change);
            this.written.push(...changes.map(({ id }) => `${namespace}/${id}`));
            return this.written.length;
          },
        }),
      },
    });
    await kind.run({
      job: this.job,
      signal,
      percent: (percent) => {
        this.job = { ...this.job, percent };
      },
      checkpoint: async (progress) => {
        this.job = { ...this.job, progress };
      },
    });
  }

  get progress(): ReembedProgress | null {
    return progressOf(this.job);
  }

  #reading(after: RecordPosition | undefined) {
    const all = [...this.#namespaces].flatMap(([namespace, records]): readonly Place[] =>
      records.length === 0
        ? [{ namespace, record: null }]
        : records.map((each) => ({ namespace, record: each })),
    );
    const at =
      after === undefined
        ? 0
        : all.findIndex((each) => each.namespace === after.namespace && each.record?.id === after.id) + 1;
    async function* batches() {
      for (const { namespace, record } of all.slice(at)) {
        // Batches of one namespace, at most one page long.
        const same = all.slice(at).filter((each) => each.namespace === namespace && each.record !== null);
        const records = same.slice(0, PAGE).flatMap((each) => each.record ?? []);
        const fields = {
          number: 1,
          name: namespace,
          recordCount: records.length,
          sizeBytes: 0,
          schema: null,
          isExplicit: false,
        };
        yield {
          namespace: fields,
          isLast: false,
          records: packRecords(record === null ? [] : records, DIMENSION),
        };
      }
    }
    const counts = { seq: 1, recordCount: all.length, namespaceCount: 1, sizeBytes: 0 };
    return { ...counts, batches: batches(), release: async () => undefined };
  }
}

export function record(id: string, metadata: object): StorableRecord {
  return {
    id,
    values: new Float32Array(DIMENSION).fill(1),
    sparse: null,
    metadataJson: JSON.stringify(metadata),
  };
}

/** Leaves a job that has failed after the first 100 records. */
export async function failAfter100(fixture: ReembedFixture): Promise<void> {
  fixture.inference.setRevision('2');
  fixture.atWrite = () => {
    if (fixture.written.length >= 100) throw fault('interrupted');
  };
  await assert.rejects(fixture.run());
  fixture.atWrite = () => undefined;
  fixture.written.length = 0;
  fixture.job = { ...fixture.job, state: 'Failed' };
}

/** By the service, as callers do. */
export async function startAgain(fixture: ReembedFixture): Promise<void> {
  const service = new ReembedService({
    indexes: { describe: async () => fixture.index },
    inference: fixture.inference,
    catalog: {
      jobs: {
        ...untouched<ReembedServiceParts['catalog']['jobs']>(),
        active: async () => [],
        list: async () => ({ items: [fixture.job], next: null }),
      },
    },
    jobs: {
      enqueue: async (job) => {
        fixture.job = { ...JOB, ...job };
        return fixture.job;
      },
    },
  });
  await service.start(mintProjectAccess(OWNER), fixture.index.name);
  assert.notEqual(fixture.job.id, JOB.id);
}

/** Records `r0` and so on, or from another number on, each with a text. */
export const texts = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => record(`r${from + i}`, { text: `text ${from + i}` }));
/** What a fixture has written after the first `count` of such records of a namespace. */
export const all = (count: number, namespace: string) =>
  Array.from({ length: count }, (_, i) => `${namespace}/r${i}`);
