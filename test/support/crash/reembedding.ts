// An index whose model is served by another provider after each start, and which is re-embedded each time.
import assert from 'node:assert/strict';
import { call } from '../call.ts';
import { FakeProvider } from '../fake-provider.ts';
import { API_KEY, type Service } from '../service.ts';
import { until } from '../until.ts';
import { type Activity, untilGone } from './activity.ts';

const NAME = 'reembedded';
/** Not the one of assistants. */
const MODEL = 'multilingual-e5-large';
const DIMENSION = 1_024;
const RECORDS = 192;
const BATCH = 96;

export class Reembedding implements Activity {
  readonly name = NAME;
  readonly #provider: FakeProvider;
  #service: Service | undefined;
  #host = '';
  acknowledged = 0;

  private constructor(provider: FakeProvider) {
    this.#provider = provider;
  }

  static async open(): Promise<Reembedding> {
    return new Reembedding(await FakeProvider.start({ model: MODEL, dimension: DIMENSION }));
  }

  /** Of a start: the built-in model, or the other provider. */
  environmentOf(start: number): Readonly<Record<string, string>> {
    return start % 2 === 0 ? {} : this.#provider.env;
  }

  close(): void {
    this.#provider.stop();
  }

  async prepare(service: Service): Promise<void> {
    this.#service = service;
    const embed = { model: MODEL, dimension: DIMENSION, field_map: { text: 'text' } };
    const body = { name: NAME, cloud: 'aws', region: 'us-east-1', embed };
    const made = await service.call('POST', '/indexes/create-for-model', { body });
    assert.equal(made.status, 201, made.text);
    this.#host = (made.body as { readonly host: string }).host;
    for (let first = 0; first < RECORDS; first += BATCH) {
      const lines = Array.from({ length: BATCH }, (_, i) => JSON.stringify(recordOf(first + i)));
      const path = '/records/namespaces/n/upsert';
      const { status, text } = await call(this.#host, 'POST', path, { key: API_KEY, body: lines.join('\n') });
      assert.equal(status, 201, text);
    }
  }

  work(): Promise<void> {
    return untilGone(async () => {
      await this.#ask('POST');
      this.acknowledged++;
      await this.#completed();
    });
  }

  /** Texts are searched again once everything is re-embedded; no record is lost or changed. */
  async verify(): Promise<void> {
    await this.#ask('POST');
    await this.#completed();
    const query = { inputs: { text: recordOf(7).text }, top_k: RECORDS };
    const { status, body, text } = await call(this.#host, 'POST', '/records/namespaces/n/search', {
      key: API_KEY,
      body: { query },
    });
    assert.equal(status, 200, text);
    const { hits } = (body as { readonly result: { readonly hits: readonly Hit[] } }).result;
    assert.equal(hits[0]?._id, 'r7', 'the text that is found first');
    const found = hits.map(({ _id, fields }) => `${_id} ${fields.text}`).sort();
    const expected = Array.from({ length: RECORDS }, (_, i) => `r${i} ${recordOf(i).text}`).sort();
    assert.deepEqual(found, expected);
  }

  async #completed(): Promise<void> {
    await until(async () => {
      const state = await this.#ask('GET');
      assert.notEqual(state, 'Failed', 're-embedding');
      return state === 'Completed';
    }, 're-embedding to be completed');
  }

  /** The state of the job. */
  async #ask(method: string): Promise<string> {
    if (this.#service === undefined) throw new Error('not prepared');
    const { status, body, text } = await this.#service.call(method, `/indexes/${NAME}/reembed`);
    assert.ok(status < 300 || status === 409, text);
    return String((body as { readonly state?: string }).state);
  }
}

interface Hit {
  readonly _id: string;
  readonly fields: { readonly text: string };
}

function recordOf(number: number) {
  return { _id: `r${number}`, text: 'x'.repeat(number + 1) };
}
