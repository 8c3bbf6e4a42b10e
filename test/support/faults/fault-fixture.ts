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
import { ASSISTANT, DIMENSION, requestsTo, SMALL_RECORDS, SPARSE_RECORDS } from './asked-requests.ts';
import { type PastState, presentStates } from './past-state.ts';
import { answerTo, type FaultAnswer, type FaultRequest } from './requests.ts';

/** Indexes are told apart by host name, so that copies of the directory can be served side by side. */
export const FAULT_ENVIRONMENT = { PINYON_PUBLIC_DOMAIN: 'data.example.org', PINYON_PUBLIC_PORT: '443' };

const SEED = 18;
const CLASSIC_RECORDS = 700;
const DOCUMENTS = 400;
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
  /** Where undos lead to. */
  readonly past: readonly PastState[];
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
  const past = await presentStates(service);
  await backUp(service, 'small');
  // A stop would leave no log of the catalog.
  await service.kill();
  cpSync(service.dataDir, older, { recursive: true });
  await service.start();
  for (const { upsert } of writers) await upsert(1);
  await upload(service, 'second.txt', 'The otter sleeps on a quartz rock.');
  await service.createIndex({ name: 'late', dimension: 2, metric: 'cosine' });
  await removeSome(service);
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
  const [owners, files] = [ownersOf(service.dataDir), filesBelow(current)];
  return { current, older, asked, past, hosts, owners, files };
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

/** Leaves a history of deletions, a namespace that is no more, and records that have expired. */
async function removeSome(service: Service): Promise<void> {
  const hosts = await hostsOf(service.url, API_KEY);
  const [classic, small] = ['classic', 'small'].map((name) => `http://${hosts.get(name)}`);
  await ok(service, 'POST', `${classic}/vectors/delete`, { ids: ['r3', 'r10', 'r600'] });
  await ok(service, 'POST', `${classic}/vectors/delete`, { filter: { number: { $gt: 690 } } });
  await ok(service, 'DELETE', `${classic}/namespaces/second`);
  const again = { id: 'r650', values: Array.from({ length: DIMENSION }, () => 1) };
  await ok(service, 'POST', `${classic}/vectors/upsert`, { namespace: 'second', vectors: [again] });
  const expiring = { id: 'expiring', values: Array.from({ length: 8 }, () => 1), metadata: { until: 1 } };
  await ok(service, 'POST', `${small}/vectors/upsert`, { vectors: [expiring] });
  await ok(service, 'PUT', '/indexes/small/ttl', { field: 'until', seconds: 30 * 86_400 });
  await until(async () => {
    const stats = await ok(service, 'POST', `${small}/describe_index_stats`, {});
    return (stats as { readonly totalVectorCount: number }).totalVectorCount === SMALL_RECORDS;
  }, 'the end of expired records');
  const living = Array.from({ length: 9 }, (_, i) => ({ id: `r${i}`, values: Array(8).fill(i + 1) }));
  await ok(service, 'POST', `${small}/vectors/upsert`, { vectors: living });
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
