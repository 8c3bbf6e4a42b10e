// The server is killed while documents are upserted, updated and deleted: each is stored with all its parts or not at all.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { CRASH_FIELDS, CrashDocumentWriter } from '../support/crash-document-writer.ts';
import { tellOfCycle } from '../support/cycles.ts';
import { DocumentIndex, type Json } from '../support/document-index.ts';
import { effort } from '../support/effort.ts';
import { Random } from '../support/random.ts';
import { type Service, startService } from '../support/service.ts';

const CYCLES = Number(process.env.PINYON_CRASH_CYCLES ?? effort({ daily: 2, long: 20 }));
const SEED = Number(process.env.PINYON_CRASH_SEED ?? 17);
const WRITES_MIN = effort({ daily: 12, long: 40 });
const CYCLE_MS_MAX = 120_000;
const TOP_K = 1_000;

describe('a server killed while documents change', () => {
  const random = new Random(SEED);
  const writers = ['one', 'two'].map((name) => new CrashDocumentWriter(name, random));
  let service: Service;
  let index: DocumentIndex;
  before(async () => {
    service = await startService();
    index = await DocumentIndex.create(service, 'crash', CRASH_FIELDS);
  });
  after(() => service.dispose());

  it('keeps every acknowledged change, and words, vectors and metadata of a document together', {
    timeout: CYCLES * CYCLE_MS_MAX,
  }, async (context) => {
    for (let cycle = 0; cycle < CYCLES; cycle++) {
      const load = Promise.all(writers.map((writer) => writer.writeUntilCrash(index)));
      await Promise.race([load, enoughWrites()]);
      await Promise.all([service.kill(), load]);
      await service.start();
      for (const writer of writers) await compare(writer);
      tellOfCycle(cycle);
    }
    const acknowledged = writers.reduce((sum, writer) => sum + writer.acknowledged, 0);
    context.diagnostic(`${CYCLES} kills, ${acknowledged} acknowledged changes`);
  });

  /** Ends a moment after the writers have done some work, at random within a request. */
  async function enoughWrites(): Promise<void> {
    const goal = writers.map(({ acknowledged }) => acknowledged + WRITES_MIN);
    while (writers.some(({ acknowledged }, at) => acknowledged < (goal[at] ?? 0))) await sleep(20);
    await sleep(random.below(30));
  }

  async function compare(writer: CrashDocumentWriter): Promise<void> {
    writer.recover(await index.all(writer.namespace));
    const documents = [...writer.documents.values()];
    const found = async (clause: Json, more: Json = {}) => {
      const body = { score_by: [clause], top_k: TOP_K, ...more };
      const { matches } = await index.documents('search', body, writer.namespace);
      return (matches as readonly Json[]).map(({ _id }) => String(_id)).sort();
    };
    const every = documents.map(({ _id }) => _id).sort();
    assert.deepEqual(await found({ type: 'query_string', query: 'every' }), every);
    assert.deepEqual(await found({ type: 'dense_vector', field: 'dense', values: [1, 0] }), every);
    const versions = [...new Set(documents.map(({ version }) => version))];
    for (const version of [random.pick(versions), random.pick(versions)]) {
      const ids = documents.filter((each) => each.version === version).map(({ _id }) => _id);
      const sparse_values = { indices: [version], values: [1] };
      for (const clause of [
        { type: 'text', fields: ['text'], query: `word${version}` },
        { type: 'sparse_vector', field: 'sparse', sparse_values },
      ])
        assert.deepEqual(await found(clause), ids.sort(), `${clause.type} ${version}`);
      const where = { filter: { version, text: { $match_all: `word${version}` } } };
      assert.deepEqual(await found({ type: 'query_string', query: '*' }, where), ids);
    }
  }
});
