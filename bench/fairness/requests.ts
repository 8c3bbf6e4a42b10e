// Requests of the fairness benchmark: JSON over a connection of the caller's choice, answers read and dropped.
import { Agent, request } from 'node:http';
import { KEY } from '../support/service.ts';

const BATCH = 200;
const REQUEST_MS_MAX = 60_000;

export interface SendOptions {
  readonly signal?: AbortSignal;
  /** Default that of the service's start. */
  readonly key?: string;
  /** Default POST. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Resolves to the status. */
export function send(agent: Agent, url: string, body?: unknown, options?: SendOptions): Promise<number> {
  return answered(agent, url, body, options).then(({ status }) => status);
}

/** @param body text goes out as it is, anything else as JSON */
export function answered(
  agent: Agent,
  url: string,
  body?: unknown,
  { signal, key = KEY, method = 'POST', headers: more = {} }: SendOptions = {},
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      'api-key': key,
      'content-type': 'application/json',
      'x-service-api-version': '2025-10',
      ...more,
    };
    const options = { method, agent, headers, timeout: REQUEST_MS_MAX, ...(signal && { signal }) };
    const outgoing = request(url, options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('end', () =>
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
      answer.once('error', reject);
    });
    outgoing.once('error', reject);
    outgoing.once('timeout', () => outgoing.destroy(new Error('no answer in time')));
    outgoing.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
  });
}

/** Creates a dense index and resolves to its address. */
export async function createIndex(base: string, name: string, dimension: number): Promise<string> {
  const agent = new Agent();
  const spec = { serverless: { cloud: 'aws', region: 'us-east-1' } };
  const { status, text } = await answered(agent, `${base}/indexes`, {
    name,
    dimension,
    metric: 'cosine',
    spec,
  });
  if (status !== 201) throw new Error(`create index: ${status} ${text}`);
  return (JSON.parse(text) as { readonly host: string }).host;
}

/** Stores records of the default namespace, with a number and a text as metadata. */
export async function fill(
  host: string,
  {
    records,
    dimension,
    namespace = '',
  }: { readonly records: number; readonly dimension: number; readonly namespace?: string },
): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  for (let first = 0; first < records; first += BATCH) {
    const vectors = Array.from({ length: Math.min(BATCH, records - first) }, (_, i) =>
      recordText(first + i, dimension),
    );
    const body = `{"namespace":"${namespace}","vectors":[${vectors.join()}]}`;
    const status = await send(agent, `${host}/vectors/upsert`, body);
    if (status !== 200) throw new Error(`upsert: ${status}`);
  }
  agent.destroy();
}

/** Vectors of which records are made. */
const VECTORS = 2_000;
const vectorTexts: string[] = [];

/** The JSON of a record. Records whose numbers differ by a multiple of VECTORS have the same vector. */
export function recordText(i: number, dimension: number): string {
  const at = i % VECTORS;
  vectorTexts[at] ??= JSON.stringify(vectorOf(at, dimension));
  const metadata = JSON.stringify({ number: i, text: `text ${i} `.repeat(20) });
  return `{"id":"record-${i}","values":${vectorTexts[at]},"metadata":${metadata}}`;
}

/** The same for the same number. */
export function vectorOf(i: number, dimension: number): number[] {
  return Array.from(
    { length: dimension },
    (_, at) => Math.round(1_000 * Math.sin(i * 12.9898 + at * 78.233)) / 1_000,
  );
}

export interface ServiceAccount {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Makes keys of the only project, and resolves to them. */
export async function createKeys(
  base: string,
  { clientId, clientSecret }: ServiceAccount,
  count: number,
): Promise<readonly string[]> {
  const agent = new Agent({ keepAlive: true });
  const grant = { grant_type: 'client_credentials', audience: 'https://api.pinecone.io/' };
  const exchanged = await answered(agent, `${base}/oauth/token`, {
    ...grant,
    client_id: clientId,
    client_secret: clientSecret,
  });
  const { access_token: token } = JSON.parse(exchanged.text) as { readonly access_token: string };
  const headers = { authorization: `Bearer ${token}` };
  const listed = await answered(agent, `${base}/admin/projects`, undefined, { method: 'GET', headers });
  const { data } = JSON.parse(listed.text) as { readonly data: readonly { readonly id: string }[] };
  const keys: string[] = [];
  for (let i = 0; i < count; i++) {
    const url = `${base}/admin/projects/${data[0]?.id}/api-keys`;
    const { text } = await answered(agent, url, { name: `hog-${i}` }, { headers });
    keys.push((JSON.parse(text) as { readonly value: string }).value);
  }
  agent.destroy();
  return keys;
}
