// Requests of the fairness benchmark: JSON over a connection of the caller's choice, answers read and dropped.
import { Agent, request } from 'node:http';
import { KEY } from '../support/service.ts';

const BATCH = 200;
const REQUEST_MS_MAX = 60_000;

/** Resolves to the status. */
export function send(agent: Agent, url: string, body: unknown, signal?: AbortSignal): Promise<number> {
  return answered(agent, url, body, signal).then(({ status }) => status);
}

export function answered(
  agent: Agent,
  url: string,
  body: unknown,
  signal?: AbortSignal,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'api-key': KEY, 'content-type': 'application/json' };
    const options = { method: 'POST', agent, headers, timeout: REQUEST_MS_MAX, ...(signal && { signal }) };
    const outgoing = request(url, options, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
      });
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.once('error', reject);
    });
    outgoing.once('error', reject);
    outgoing.end(JSON.stringify(body));
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
  { records, dimension }: { readonly records: number; readonly dimension: number },
): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  for (let first = 0; first < records; first += BATCH) {
    const vectors = Array.from({ length: Math.min(BATCH, records - first) }, (_, i) =>
      recordOf(first + i, dimension),
    );
    const status = await send(agent, `${host}/vectors/upsert`, { vectors });
    if (status !== 200) throw new Error(`upsert: ${status}`);
  }
  agent.destroy();
}

export function recordOf(i: number, dimension: number) {
  return {
    id: `record-${i}`,
    values: vectorOf(i, dimension),
    metadata: { number: i, text: `text ${i} `.repeat(20) },
  };
}

/** The same for the same number. */
export function vectorOf(i: number, dimension: number): number[] {
  return Array.from(
    { length: dimension },
    (_, at) => Math.round(1_000 * Math.sin(i * 12.9898 + at * 78.233)) / 1_000,
  );
}
