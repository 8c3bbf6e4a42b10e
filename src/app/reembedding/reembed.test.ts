// Re-embedding an index: which records, where it resumes, and that texts stay refused until it is complete.

import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { mintProjectAccess } from '../../domain/access.ts';
import type { StringField } from '../../domain/document-schema.ts';
import { requireCurrent } from '../../domain/embedding/current-source.ts';
import { embeddingSlots } from '../../domain/embedding/embedding-slots.ts';
import type { IndexEmbedding } from '../../domain/embedding/index-embedding.ts';
import { fault } from '../../domain/faults.ts';
import { changedIndex } from '../../domain/index-change.ts';
import { type Index, profileOf } from '../../domain/index-model.ts';
import { InputTooLong } from '../../domain/inference/input-too-long.ts';
import type { Job } from '../../domain/jobs.ts';
import type { StorableRecord } from '../../domain/records/record.ts';
import type { IndexCopies, RecordPosition } from '../../engine/port/index-copies.ts';
import { packRecords } from '../../engine/port/packed-records.ts';
import type { RecordChange, VectorWriter } from '../../engine/port/reader-and-writer.ts';
import { testInference } from '../../inference/testing/test-inference.ts';
import { JobFailure } from '../../jobs/port.ts';
import { untouched } from '../../platform/testing/untouched.ts';
import { MERGE_KIND } from '../branches/merge-job.ts';
import { UNDO_KIND } from '../history/undo-job.ts';
import { IMPORT_KIND } from '../import-export/imports/import-progress.ts';
import { NEW_INDEX, OWNER } from '../indexes/testing/control-plane.ts';
import { reembedJob } from './reembed-job.ts';
import { progressOf, type ReembedProgress } from './reembed-progress.ts';
import { ReembedService, type ReembedServiceParts } from './reembed-service.ts';

const DIMENSION = 384;
const EMBED: IndexEmbedding = {
  model: 'llama-text-embed-v2',
  textField: 'text',
  writeParameters: { truncate: 'NONE' },
  readParameters: {},
  source: { provider: 'test', revision: '1' },
  remaking: null,
};
const JOB: Job = {
  id: 'job',
  kind: 'reembed',
  projectId: 'project-1',
  indexId: 'index',
  subject: null,
  state: 'Running',
  isCancelled: false,
  percent: 0,
  input: {},
  progress: null,
  error: null,
  attempts: 1,
  createdAt: '2026-07-01T00:00:00.000Z',
  startedAt: null,
  finishedAt: null,
};
const PAGE = 100;

interface Place {
  readonly namespace: string;
  /** Null for an empty namespace. */
  readonly record: StorableRecord | null;
}

/** One index in memory, with runs of the job on it. */
class Fixture {
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

function record(id: string, metadata: object): StorableRecord {
  return {
    id,
    values: new Float32Array(DIMENSION).fill(1),
    sparse: null,
    metadataJson: JSON.stringify(metadata),
  };
}

async function failAfter100(fixture: Fixture): Promise<void> {
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
async function startAgain(fixture: Fixture): Promise<void> {
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

const texts = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => record(`r${from + i}`, { text: `text ${from + i}` }));
const all = (count: number, namespace: string) =>
  Array.from({ length: count }, (_, i) => `${namespace}/r${i}`);

describe('re-embedding', () => {
  it('embeds every record with a text in all namespaces, and accepts texts only afterwards', async () => {
    const own = [record('own', { n: 1 }), record('empty', { text: ' ' }), record('none', {})];
    const fixture = new Fixture({ a: [...texts(230), ...own], empty: [], b: texts(3) });
    fixture.inference.setRevision('2');
    fixture.atWrite = () => {
      assert.throws(() => requireCurrent(fixture.inference, fixture.index), {
        condition: 'embedding-changed',
      });
    };
    await fixture.run();
    assert.deepEqual(fixture.written, [...all(230, 'a'), ...all(3, 'b')]);
    assert.deepEqual([fixture.progress?.remade, fixture.progress?.kept], [233, 3]);
    assert.deepEqual(fixture.index.embed?.source, { provider: 'test', revision: '2' });
    assert.equal(requireCurrent(fixture.inference, fixture.index).model.name, EMBED.model);
  });

  it('embeds texts in fields of earlier names, the present and the last first', async () => {
    const renamed = { ...EMBED, textField: 'now', formerTextFields: ['before', 'first'] };
    const records = [
      record('new', { now: 'n', before: 'b', first: 'f' }),
      record('blank', { now: ' ', before: 'b', first: 'f' }),
      record('old', { first: 'f' }),
      record('own', { other: 'o', first: 7 }),
    ];
    const fixture = new Fixture({ a: records }, renamed);
    fixture.inference.setRevision('2');
    const embed = mock.method(fixture.inference, 'embed');
    await fixture.run();
    assert.deepEqual(
      embed.mock.calls.flatMap(({ arguments: [{ inputs }] }) => inputs),
      ['n', 'b', 'f'],
    );
    assert.deepEqual(fixture.written, ['a/new', 'a/blank', 'a/old']);
    assert.deepEqual([fixture.progress?.remade, fixture.progress?.kept], [3, 1]);
    assert.deepEqual(fixture.index.embed?.formerTextFields, ['before', 'first']);
  });

  it('are refused at once when the model makes vectors of another dimension', async () => {
    const { inference, index } = new Fixture({});
    const service = new ReembedService({
      ...untouched<ReembedServiceParts>(),
      indexes: { describe: async () => ({ ...index, dimension: 123 }) },
      inference,
    });
    await assert.rejects(
      service.start(mintProjectAccess(OWNER), index.name),
      /cannot be embedded again: it has dimension 123, and model '.*' of .* makes vectors of dimension \d/,
    );
  });

  it('need no stored texts for vectors that are current, only for those that they make anew', async () => {
    const { textField: _, ...current } = { ...EMBED, source: { provider: 'test', revision: '2' } };
    const outdated = { ...current, source: { provider: 'test', revision: '1' } };
    const field = (more: Partial<StringField>): StringField => ({
      kind: 'string',
      description: null,
      storeText: true,
      fullText: null,
      embed: null,
      sparseEmbed: null,
      ...more,
    });
    const model = 'pinecone-sparse-english-v0';
    const indexWith = (embed: typeof current, sparse: typeof current): Fixture => {
      const fixture = new Fixture({ a: texts(3) }, null);
      const text = field({ sparseEmbed: { ...sparse, model } });
      fixture.index = {
        ...fixture.index,
        documents: { fields: { unstored: field({ embed, storeText: false }), text } },
      };
      fixture.inference.setRevision('2');
      fixture.job = { ...JOB, state: 'Completed' };
      return fixture;
    };
    const fixture = indexWith(current, outdated);
    fixture.onChange = ({ values }) => assert.equal(values, null);
    await startAgain(fixture);
    await fixture.run();
    assert.deepEqual(fixture.written, all(3, 'a'));
    assert.ok(embeddingSlots(fixture.index).every(({ embed }) => embed.source.revision === '2'));
    for (const embed of [outdated, { ...current, remaking: outdated.source }])
      await assert.rejects(
        startAgain(indexWith(embed, current)),
        /field 'unstored' does not store its texts/,
      );
  });

  it('embeds both vectors of documents, one after the other, and keeps what has no text', async () => {
    const { textField: _, ...field } = EMBED;
    const sparse = { ...field, model: 'pinecone-sparse-english-v0' };
    const text: StringField = {
      kind: 'string',
      description: null,
      storeText: true,
      fullText: null,
      embed: field,
      sparseEmbed: sparse,
    };
    const records = [...texts(120), record('other', { n: 1 }), record('empty', { text: '' })];
    const fixture = new Fixture({ a: records }, null);
    fixture.index = { ...fixture.index, documents: { fields: { text } } };
    fixture.inference.setRevision('2');
    const kinds = new Set<string>();
    fixture.onChange = ({ values, sparse: made, removeSparse = false }) => {
      kinds.add(`${values?.length ?? 0} ${made !== null} ${removeSparse}`);
    };
    await fixture.run();
    assert.deepEqual([...kinds], [`${DIMENSION} false false`, '0 true false', '0 false true']);
    assert.equal(fixture.written.length, 2 * 121);
    const changed = embeddingSlots(fixture.index);
    assert.deepEqual(
      changed.map(({ embed: { source, remaking } }) => [source.revision, remaking]),
      [
        ['2', null],
        ['2', null],
      ],
    );
  });

  it('begins after undos, merges and imports, which bring vectors of before, and notes its end', async () => {
    for (const kind of [UNDO_KIND, MERGE_KIND, IMPORT_KIND]) {
      const fixture = new Fixture({ n: [record('r', { text: 'x' })] });
      fixture.inference.setRevision('2');
      fixture.copies = [{ ...JOB, kind }];
      fixture.atWrite = () => assert.deepEqual(fixture.copies, []);
      await fixture.run();
      assert.deepEqual(fixture.written, ['n/r']);
      const { remade } = fixture.index.embed ?? {};
      assert.deepEqual([remade?.storageId, remade?.lsn], ['index', 1]);
    }
  });

  it('waits for no import that began when texts were refused already, also in a later attempt', async () => {
    const fixture = new Fixture({ n: [record('r', { text: 'x' })] });
    fixture.inference.setRevision('2');
    const imports = ['first', ...Array.from({ length: 1_000 }, (_, at) => `later-${at}`)];
    fixture.copies = imports.map((id) => ({ ...JOB, kind: IMPORT_KIND, id }));
    fixture.atWrite = () => {
      throw fault('interrupted');
    };
    await assert.rejects(fixture.run(), { condition: 'interrupted' });
    fixture.atWrite = () => undefined;
    await fixture.run();
    assert.deepEqual(fixture.written, ['n/r']);
    assert.deepEqual(fixture.progress?.awaited, ['first']);
  });

  it('does nothing when the source is the same', async () => {
    const fixture = new Fixture({ a: texts(3) });
    await fixture.run();
    assert.deepEqual([fixture.written, fixture.index.embed], [[], EMBED]);
  });

  it('resumes after the last checkpoint', async () => {
    const fixture = new Fixture({ a: texts(250) });
    fixture.inference.setRevision('2');
    let writes = 0;
    fixture.atWrite = () => {
      writes++;
      if (writes === 4) throw fault('interrupted');
    };
    await assert.rejects(fixture.run(), { condition: 'interrupted' });
    assert.deepEqual(fixture.progress?.after, { namespace: 'a', id: 'r99' });
    const before = fixture.written.length;
    await fixture.run();
    assert.deepEqual(fixture.written.slice(before), all(250, 'a').slice(100));
    assert.equal(fixture.index.embed?.remaking, null);
  });

  it('starts over when the source changes again, also back to the old one', async () => {
    for (const revision of ['3', '1']) {
      const fixture = new Fixture({ a: texts(150) });
      fixture.inference.setRevision('2');
      fixture.atWrite = () => {
        if (fixture.written.length >= 100) throw fault('interrupted');
      };
      await assert.rejects(fixture.run());
      fixture.atWrite = () => undefined;
      fixture.inference.setRevision(revision);
      fixture.written.length = 0;
      await fixture.run();
      assert.deepEqual(fixture.written, all(150, 'a'));
      assert.deepEqual(fixture.index.embed?.source, { provider: 'test', revision });
    }
  });

  it('goes on where the latest job failed when it is started again', async () => {
    const fixture = new Fixture({ a: texts(250) });
    await failAfter100(fixture);
    await startAgain(fixture);
    await fixture.run();
    assert.deepEqual(fixture.written, all(250, 'a').slice(100));
    assert.equal(fixture.index.embed?.remaking, null);
  });

  it('starts over after a failed job when the field of the texts or the vectors have changed since', async () => {
    const changes: readonly Partial<IndexEmbedding>[] = [
      { textField: 'other', formerTextFields: ['text'] },
      { remaking: { provider: 'test', revision: '3' } },
    ];
    for (const change of changes) {
      const fixture = new Fixture({ a: texts(150) });
      await failAfter100(fixture);
      const { embed } = fixture.index;
      assert.ok(embed !== null);
      fixture.index = { ...fixture.index, embed: { ...embed, ...change } };
      await startAgain(fixture);
      await fixture.run();
      assert.deepEqual(fixture.written, all(150, 'a'));
    }
  });

  it('starts over after a failed job when the records have been made anew from a backup since', async () => {
    const fixture = new Fixture({ a: texts(150) });
    await failAfter100(fixture);
    fixture.index = { ...fixture.index, storageId: 'made-anew' };
    await startAgain(fixture);
    await fixture.run();
    assert.deepEqual(fixture.written, all(150, 'a'));
  });

  it('goes on with the progress of an earlier release, which notes no storage, unless the records may have been made anew since', async () => {
    /** As an earlier release leaves it. */
    const failedEarlier = async (): Promise<Fixture> => {
      const fixture = new Fixture({ a: texts(150) });
      await failAfter100(fixture);
      const { progress } = fixture;
      assert.ok(progress !== null);
      const { awaited: _, ...known } = progress;
      const target = JSON.stringify(JSON.parse(progress.target).slice(1));
      fixture.job = { ...fixture.job, progress: { ...known, target } };
      return fixture;
    };
    const surviving = await failedEarlier();
    await surviving.run();
    const startedAgain = await failedEarlier();
    await startAgain(startedAgain);
    await startedAgain.run();
    for (const { written } of [surviving, startedAgain]) assert.deepEqual(written, all(150, 'a').slice(100));
    const madeAnew = await failedEarlier();
    madeAnew.index = { ...madeAnew.index, storageId: 'made-anew' };
    await startAgain(madeAnew);
    await madeAnew.run();
    assert.deepEqual(madeAnew.written, all(150, 'a'));
  });

  it('truncates accepted texts that are too long for the new model', async () => {
    const fixture = new Fixture({ a: [record('long', { text: 'word '.repeat(3_000) })] });
    fixture.inference.setRevision('2');
    await fixture.run();
    assert.deepEqual(fixture.written, ['a/long']);
  });

  it('names the record whose text the provider refuses', async () => {
    const fixture = new Fixture({ a: texts(3) });
    fixture.inference.setRevision('2');
    mock.method(fixture.inference, 'embed', async () => {
      const fields = { tokens: 9, tokensMax: 512, model: EMBED.model, refusal: 'status 400: too long' };
      throw new InputTooLong(1, fields);
    });
    await assert.rejects(fixture.run(), (error) => {
      assert.ok(error instanceof JobFailure);
      assert.match(
        error.message,
        /^The text of record a\/r1 is refused by model '.*': status 400: too long\.$/,
      );
      return true;
    });
  });

  it('retries when the model fails, and ends when no provider serves it', async () => {
    const fixture = new Fixture({ a: texts(1) });
    fixture.inference.setRevision('2');
    fixture.inference.fail('down');
    await assert.rejects(fixture.run(), { condition: 'model-unavailable' });
    const gone = new Fixture({ a: texts(1) }, { ...EMBED, model: 'nothing' });
    await assert.rejects(gone.run(), JobFailure);
  });

  it('stops when it is cancelled', async () => {
    const fixture = new Fixture({ a: texts(150) });
    fixture.inference.setRevision('2');
    const stop = new AbortController();
    fixture.atWrite = () => stop.abort(new Error('stopped'));
    await assert.rejects(fixture.run(stop.signal), /stopped/);
    assert.ok(fixture.written.length < 150);
  });
});
