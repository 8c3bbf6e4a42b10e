// Re-embedding an index: which records, where it resumes, and that texts stay refused until it is complete.
import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { mintProjectAccess } from '../../domain/access.ts';
import type { StringField } from '../../domain/document-schema.ts';
import { requireCurrent } from '../../domain/embedding/current-source.ts';
import { embeddingSlots } from '../../domain/embedding/embedding-slots.ts';
import { fault } from '../../domain/faults.ts';
import { InputTooLong } from '../../domain/inference/input-too-long.ts';
import { JobFailure } from '../../jobs/port.ts';
import { untouched } from '../../platform/testing/untouched.ts';
import { MERGE_KIND } from '../branches/merge-job.ts';
import { UNDO_KIND } from '../history/undo-job.ts';
import { IMPORT_KIND } from '../import-export/imports/import-progress.ts';
import { OWNER } from '../indexes/testing/control-plane.ts';
import { ReembedService, type ReembedServiceParts } from './reembed-service.ts';
import {
  all,
  DIMENSION,
  EMBED,
  JOB,
  ReembedFixture,
  record,
  startAgain,
  texts,
} from './testing/reembed-fixture.ts';

describe('re-embedding', () => {
  it('embeds every record with a text in all namespaces, and accepts texts only afterwards', async () => {
    const own = [record('own', { n: 1 }), record('empty', { text: ' ' }), record('none', {})];
    const fixture = new ReembedFixture({ a: [...texts(230), ...own], empty: [], b: texts(3) });
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
    const fixture = new ReembedFixture({ a: records }, renamed);
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
    const { inference, index } = new ReembedFixture({});
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
    const indexWith = (embed: typeof current, sparse: typeof current): ReembedFixture => {
      const fixture = new ReembedFixture({ a: texts(3) }, null);
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
    const fixture = new ReembedFixture({ a: records }, null);
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
      const fixture = new ReembedFixture({ n: [record('r', { text: 'x' })] });
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
    const fixture = new ReembedFixture({ n: [record('r', { text: 'x' })] });
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
    const fixture = new ReembedFixture({ a: texts(3) });
    await fixture.run();
    assert.deepEqual([fixture.written, fixture.index.embed], [[], EMBED]);
  });

  it('truncates accepted texts that are too long for the new model', async () => {
    const fixture = new ReembedFixture({ a: [record('long', { text: 'word '.repeat(3_000) })] });
    fixture.inference.setRevision('2');
    await fixture.run();
    assert.deepEqual(fixture.written, ['a/long']);
  });

  it('names the record whose text the provider refuses', async () => {
    const fixture = new ReembedFixture({ a: texts(3) });
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
    const fixture = new ReembedFixture({ a: texts(1) });
    fixture.inference.setRevision('2');
    fixture.inference.fail('down');
    await assert.rejects(fixture.run(), { condition: 'model-unavailable' });
    const gone = new ReembedFixture({ a: texts(1) }, { ...EMBED, model: 'nothing' });
    await assert.rejects(gone.run(), JobFailure);
  });

  it('stops when it is cancelled', async () => {
    const fixture = new ReembedFixture({ a: texts(150) });
    fixture.inference.setRevision('2');
    const stop = new AbortController();
    fixture.atWrite = () => stop.abort(new Error('stopped'));
    await assert.rejects(fixture.run(stop.signal), /stopped/);
    assert.ok(fixture.written.length < 150);
  });
});
