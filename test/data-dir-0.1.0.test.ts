// A data directory that version 0.1.0 wrote and closed: this version must answer from it as 0.1.0 did.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync } from 'node:zlib';
import { exchange, OWNER } from './support/admin.ts';
import { call } from './support/call.ts';
import { derivedFiles } from './support/derived-files.ts';
import {
  answerTo,
  type Caller,
  hostsOf,
  type RecordedAnswer,
  type RecordedCall,
} from './support/recorded-answers.ts';
import { API_KEY, newService, type Service } from './support/service.ts';
import { unpackTar } from './support/unpack-tar.ts';
import { until } from './support/until.ts';

const FIXTURE = new URL('./fixtures/data-dir-0.1.0', import.meta.url).pathname;
/** Indexes are told apart by host name: the ports that 0.1.0 gave them may be taken on this machine. */
const ENVIRONMENT = {
  PINYON_PUBLIC_DOMAIN: 'data.example.org',
  PINYON_PUBLIC_PORT: '443',
  PINYON_ADMIN_CLIENT_ID: OWNER.clientId,
  PINYON_ADMIN_CLIENT_SECRET: OWNER.clientSecret,
};
const PAUSE_MS = 20;

type Recorded = RecordedCall & { readonly answer: RecordedAnswer };

const recorded = readFileSync(`${FIXTURE}.answers.jsonl`, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

/** The ranking of assistants is no part of the promise: later releases find better. What they find is the same here. */
function withoutScores(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer, (name, value) => (name === 'score' ? undefined : value)));
}

describe('a data directory of 0.1.0', () => {
  let service: Service;
  let caller: Caller;
  let saved: readonly (readonly [path: string, content: Buffer])[];
  before(async () => {
    service = await newService();
    unpackTar(brotliDecompressSync(readFileSync(`${FIXTURE}.tar.br`)), dirname(service.dataDir));
    saved = derivedFiles(service.dataDir).map((path) => [path, readFileSync(path)]);
    await service.start({ env: ENVIRONMENT });
    const { access_token } = (await exchange(service.url, OWNER)).body as { readonly access_token: string };
    const hosts = await hostsOf(service.url, API_KEY);
    caller = { url: service.url, apiKey: API_KEY, token: access_token, hosts };
  });
  after(() => service.dispose());

  const post = (index: string, path: string, body: unknown) =>
    call(service.url, 'POST', path, {
      key: API_KEY,
      headers: { host: caller.hosts.get(index) ?? '', 'x-pinyon-explain': 'true' },
      body,
    });

  it('opens a data directory of 0.1.0 and searches the graph that 0.1.0 saved', async () => {
    const query = { namespace: 'arc', vector: [0.5, 0.5, 0, 0, 0.5, 0, 0, 0], topK: 3 };
    for (;;) {
      const { body } = await post('large', '/query', query);
      const { explain, matches } = body as {
        readonly explain: { readonly structure: string; readonly tail: number };
        readonly matches: readonly { readonly score: number }[];
      };
      assert.ok((matches[0]?.score ?? 0) > 0.9);
      // Read from its records until it is in memory.
      if (explain.structure === 'direct') await sleep(PAUSE_MS);
      else {
        // Built anew, the graph would take some time to show.
        assert.ok(explain.structure.startsWith('graph'), explain.structure);
        break;
      }
    }
    assert.deepEqual(
      saved.map(([path]) => readFileSync(path)),
      saved.map(([, content]) => content),
    );
  });

  it('answers every call as 0.1.0 did: catalog, keys, roles, records, statistics, queries', async () => {
    for (const { answer, ...each } of recorded) {
      const told = await answerTo(caller, each);
      const isRanked = each.title === 'context';
      assert.deepEqual(
        isRanked ? withoutScores(told) : told,
        isRanked ? withoutScores(answer) : answer,
        `${each.title} ${JSON.stringify(each.body)}`,
      );
    }
  });

  it('restores a backup of 0.1.0', async () => {
    const get = async <Body>(path: string): Promise<Body> => (await service.call('GET', path)).body as Body;
    const { data } = await get<{ readonly data: readonly { readonly backup_id: string }[] }>('/backups');
    const path = `/backups/${data[0]?.backup_id}/create-index`;
    assert.equal((await service.call('POST', path, { body: { name: 'again' } })).status, 202);
    const isReady = async () =>
      (await get<{ readonly status: { readonly ready: boolean } }>('/indexes/again')).status.ready;
    await until(isReady);
    const ofBackup = { ...caller, hosts: await hostsOf(service.url, API_KEY) };
    // 0.1.0 restored the same backup to an index.
    for (const { answer, ...each } of recorded.filter(({ index }) => index === 'restored'))
      assert.deepEqual(await answerTo(ofBackup, { ...each, index: 'again' }), answer, each.title);
  });

  it('writes to it, and starts with it again', async () => {
    const record = { id: 'new', values: [1, 0, 0, 0], metadata: { number: -1 } };
    assert.equal((await post('cosine', '/vectors/upsert', { vectors: [record] })).status, 200);
    assert.equal((await post('large', '/vectors/delete', { namespace: 'arc', ids: ['7'] })).status, 200);
    assert.deepEqual(await service.restart({ env: ENVIRONMENT }), { code: 0, signal: null });
    const { body } = await post('cosine', '/vectors/fetch_by_metadata', { filter: { number: -1 } });
    assert.partialDeepStrictEqual(body, { vectors: { new: record } });
    const large = await post('large', '/describe_index_stats', {});
    assert.partialDeepStrictEqual(large.body, { totalVectorCount: 10_140 });
  });
});
