// A small data directory with an index of each kind and an assistant, as it is and as it was some writes ago, with the
// requests to ask of it and their right answers.
import { cpSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DocumentIndex } from '../document-index.ts';
import { Random } from '../random.ts';
import { hostsOf } from '../recorded-answers.ts';
import { API_KEY, type Service } from '../service.ts';
import { until } from '../until.ts';
import { answerTo, type FaultAnswer, type FaultRequest } from './requests.ts';

/** Indexes are told apart by host name, so that copies of the directory can be served side by side. */
export const FAULT_ENVIRONMENT = { PINYON_PUBLIC_DOMAIN: 'data.example.org', PINYON_PUBLIC_PORT: '443' };
export const ASSISTANT = 'helper';

const SEED = 18;
const DIMENSION = 24;
const CLASSIC_RECORDS = 700;
const SMALL_RECORDS = 90;
const SPARSE_RECORDS = 500;
const DOCUMENTS = 400;
const FETCHED_AT_ONCE = 50;
const WORDS = [
  'ferry',
  'otter',
  'quartz',
  'harbor',
  'lantern',
  'meadow',
  'violin',
  'tundra',
  'saddle',
  'copper',
];

export interface AskedRequest {
  readonly request: FaultRequest;
  readonly answer: FaultAnswer;
}

export interface FaultFixture {
  /** The data directory as the server left it. */
  readonly current: string;
  /** The same some writes earlier. */
  readonly older: string;
  /** What to ask, with the right answers. */
  readonly asked: readonly AskedRequest[];
  /** Host names of the indexes. */
  readonly hosts: ReadonlyMap<string, string>;
  /** The owner of each folder below `indexes`: the name of an index, or of the assistant. */
  readonly owners: ReadonlyMap<string, string>;
  /** All files, relative to the data directory. */
  readonly files: readonly string[];
}

/** Builds the fixture with a service that has not been started; leaves it stopped. */
export async function buildFixture(service: Service, folder: string): Promise<FaultFixture> {
  const random = new Random(SEED);
  const [current, older] = [join(folder, 'current'), join(folder, 'older')];
  await service.start();
  const writers = await createIndexes(service, random);
  await createAssistant(service);
  for (const { upsert } of writers) await upsert(0);
  await backUp(service, 'small');
  // A stop would leave no log of the catalog.
  await service.kill();
  cpSync(service.dataDir, older, { recursive: true });
  await service.start();
  for (const { upsert } of writers) await upsert(1);
  await upload(service, 'second.txt', 'The otter sleeps on a quartz rock.');
  await service.createIndex({ name: 'late', dimension: 2, metric: 'cosine' });
  await service.stop();
  await service.start({ env: FAULT_ENVIRONMENT });
  const hosts = await hostsOf(service.url, API_KEY);
  const requests = [...requestsTo(hosts, new Random(SEED + 1)), ...(await downloads(service))];
  const asked: AskedRequest[] = [];
  for (const request of requests) asked.push({ request, answer: await answerTo(service.url, request) });
  const wrong = asked.find(({ answer }) => answer.status !== 200);
  if (wrong !== undefined) throw new Error(`the fixture answers ${JSON.stringify(wrong)}`);
  await service.kill();
  cpSync(service.dataDir, current, { recursive: true });
  return { current, older, asked, hosts, owners: ownersOf(service.dataDir), files: filesBelow(current) };
}

interface FilledIndex {
  /** Writes the records of a round; later rounds replace some. */
  readonly upsert: (round: number) => Promise<void>;
}

async function createIndexes(service: Service, random: Random): Promise<readonly FilledIndex[]> {
  const classic = await service.createIndex({ name: 'classic', dimension: DIMENSION, metric: 'cosine' });
  const small = await service.createIndex({ name: 'small', dimension: 8, metric: 'euclidean' });
  const sparse = await service.createIndex({ name: 'sparse', vector_type: 'sparse', metric: 'dotproduct' });
  const books = await DocumentIndex.create(service, 'books', {
    text: { type: 'string', full_text_search: {} },
    embedding: { type: 'dense_vector', dimension: 8, metric: 'cosine' },
  });
  const post = (host: string, body: unknown) => ok(service, 'POST', `${host}/vectors/upsert`, body);
  const dense = (host: string, count: number, dimension: number) => async (round: number) => {
    for (let first = 0; first < count; first += 100) {
      const vectors = Array.from({ length: Math.min(100, count - first) }, (_, i) => ({
        id: `r${first + i}`,
        values: random.vector(dimension),
        metadata: metadataOf(first + i, round),
      })).filter((_, i) => round === 0 || i % 7 === 0);
      await post(host, { vectors, namespace: first >= 600 ? 'second' : '' });
    }
  };
  return [
    { upsert: dense(classic, CLASSIC_RECORDS, DIMENSION) },
    { upsert: dense(small, SMALL_RECORDS, 8) },
    {
      upsert: async (round) => {
        for (let first = 0; first < SPARSE_RECORDS; first += 100) {
          const vectors = Array.from({ length: 100 }, (_, i) => ({
            id: `s${first + i}`,
            sparse_values: {
              indices: [1 + ((first + i) % 40), 100 + random.below(50)],
              values: [1, 0.5 + round],
            },
            metadata: metadataOf(first + i, round),
          })).filter((_, i) => round === 0 || i % 7 === 0);
          await post(sparse, { vectors });
        }
      },
    },
    {
      upsert: async (round) => {
        for (let first = 0; first < DOCUMENTS; first += 100) {
          const documents = Array.from({ length: 100 }, (_, i) => ({
            _id: `d${first + i}`,
            text: Array.from({ length: 12 }, () => random.pick(WORDS)).join(' '),
            embedding: random.vector(8),
            number: first + i + round,
          })).filter((_, i) => round === 0 || i % 7 === 0);
          await books.upsert(documents);
        }
      },
    },
  ];
}

function metadataOf(number: number, round: number) {
  // A few values do not fit a page.
  const note = `note ${number} of round ${round} `.repeat(number % 50 === 0 ? 300 : 4);
  return { number, round, even: number % 2 === 0, note };
}

async function ok(service: Service, method: string, path: string, body?: unknown): Promise<unknown> {
  const url = path.startsWith('http') ? path : `${service.url}${path}`;
  const response = await fetch(url, {
    method,
    headers: {
      'api-key': API_KEY,
      ...(!(body instanceof FormData) && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === '' ? {} : JSON.parse(text);
}

async function createAssistant(service: Service): Promise<void> {
  await ok(service, 'POST', '/assistant/assistants', { name: ASSISTANT });
  await until(
    async () =>
      ((await ok(service, 'GET', `/assistant/assistants/${ASSISTANT}`)) as { status: string }).status ===
      'Ready',
  );
  await upload(
    service,
    'first.txt',
    'The ferry to the harbor costs four coins. The lantern burns all night.',
  );
}

async function upload(service: Service, name: string, text: string): Promise<void> {
  const form = new FormData();
  form.append('file', new Blob([text]), name);
  await ok(service, 'POST', `/assistant/files/${ASSISTANT}`, form);
  await until(async () => {
    const { files } = (await ok(service, 'GET', `/assistant/files/${ASSISTANT}`)) as {
      readonly files: readonly { readonly status: string }[];
    };
    return files.every(({ status }) => status === 'Available');
  });
}

/** Requests for the uploaded files themselves. */
async function downloads(service: Service): Promise<readonly FaultRequest[]> {
  const { files } = (await ok(service, 'GET', `/assistant/files/${ASSISTANT}`)) as {
    readonly files: readonly { readonly id: string }[];
  };
  return files.map(({ id }) => ({
    owner: ASSISTANT,
    method: 'GET',
    path: `/assistant/files/${ASSISTANT}/${id}?include_url=true`,
    isDownload: true,
  }));
}

async function backUp(service: Service, name: string): Promise<void> {
  await ok(service, 'POST', `/indexes/${name}/backups`, { name: 'kept' });
  await until(async () => {
    const { data } = (await ok(service, 'GET', '/backups')) as {
      readonly data: readonly { readonly status: string }[];
    };
    return data.every(({ status }) => status === 'Ready');
  });
}

function requestsTo(hosts: ReadonlyMap<string, string>, random: Random): readonly FaultRequest[] {
  const requests: FaultRequest[] = [
    { owner: 'catalog', method: 'GET', path: '/indexes' },
    { owner: 'catalog', method: 'GET', path: '/backups' },
    { owner: 'catalog', method: 'GET', path: `/assistant/files/${ASSISTANT}` },
    {
      owner: ASSISTANT,
      method: 'POST',
      path: `/assistant/chat/${ASSISTANT}/context`,
      body: { query: 'What does the ferry cost?' },
    },
  ];
  const of = (owner: string) => (method: string, path: string, body?: unknown) => {
    const host = hosts.get(owner);
    if (host === undefined) throw new Error(`there is no index ${owner}`);
    requests.push({ owner, method, path, host, ...(body !== undefined && { body }) });
  };
  for (const [name, prefix, count] of [
    ['classic', 'r', 600],
    ['small', 'r', SMALL_RECORDS],
    ['sparse', 's', SPARSE_RECORDS],
  ] as const) {
    const ask = of(name);
    ask('POST', '/describe_index_stats', {});
    ask('GET', '/vectors/list?limit=100');
    ask('GET', '/namespaces');
    for (let first = 0; first < count; first += FETCHED_AT_ONCE) {
      const ids = Array.from(
        { length: Math.min(FETCHED_AT_ONCE, count - first) },
        (_, i) => `ids=${prefix}${first + i}`,
      );
      ask('GET', `/vectors/fetch?${ids.join('&')}`);
    }
    for (let i = 0; i < 3; i++) {
      const vector = { vector: random.vector(name === 'classic' ? DIMENSION : 8) };
      const sparse = {
        sparseVector: { indices: [1 + random.below(40), 100 + random.below(50)], values: [1, 1] },
      };
      const by = name === 'sparse' ? sparse : vector;
      ask('POST', '/query', { ...by, topK: 20, includeMetadata: i > 0, includeValues: i > 1 });
      ask('POST', '/query', { ...by, topK: 5, filter: { even: true } });
    }
    ask('POST', '/vectors/fetch_by_metadata', { filter: { number: { $lt: 40 } }, limit: 20 });
  }
  const ask = of('books');
  ask('POST', '/describe_index_stats', {});
  const search = (score_by: unknown) =>
    ask('POST', '/namespaces/__default__/documents/search', { score_by, top_k: 20 });
  for (const query of ['ferry', 'quartz AND otter', 'violin'])
    search([{ type: 'query_string', query: `text:(${query})` }]);
  search([{ type: 'dense_vector', field: 'embedding', values: random.vector(8) }]);
  ask('POST', '/namespaces/__default__/documents/fetch', {
    ids: Array.from({ length: 100 }, (_, i) => `d${i * 4}`),
  });
  of('late')('POST', '/describe_index_stats', {});
  return requests;
}

/** The index that each folder belongs to; the catalog knows them. */
function ownersOf(dataDir: string): ReadonlyMap<string, string> {
  const catalog = new DatabaseSync(join(dataDir, 'catalog.sqlite'), { readOnly: true });
  const rows = catalog.prepare('select id, name from indexes').all();
  catalog.close();
  const named = new Map(rows.map(({ id, name }) => [String(id), String(name)]));
  return new Map(readdirSync(join(dataDir, 'indexes')).map((id) => [id, named.get(id) ?? ASSISTANT]));
}

function filesBelow(folder: string, prefix = ''): readonly string[] {
  return readdirSync(join(folder, prefix)).flatMap((name) => {
    const path = join(prefix, name);
    return statSync(join(folder, path)).isDirectory() ? filesBelow(folder, path) : [path];
  });
}
