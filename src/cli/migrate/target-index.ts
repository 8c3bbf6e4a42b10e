// The target index of a migration: created like the source, or found and compared with it.

import { setTimeout as pause } from 'node:timers/promises';
import { isJsonObject, type JsonObject, membersOf } from '../../domain/json.ts';
import { type ApiClient, Refusal } from '../api-client.ts';
import { CliProblem } from '../command.ts';

const HTTP_NOT_FOUND = 404;
const READY_MS_MAX = 300_000;
const LOOK_MS = 500;

export interface IndexDescription {
  readonly name: string;
  readonly host: string;
  readonly dimension: number | null;
  readonly metric: string;
  readonly vectorType: string;
  readonly tags: Readonly<Record<string, string>> | null;
  readonly serverless: { readonly cloud: string; readonly region: string } | null;
}

/** @throws Refusal if there is none */
export async function describeIndex(client: ApiClient, name: string): Promise<IndexDescription> {
  return factsOf(await client.call('GET', `/indexes/${encodeURIComponent(name)}`));
}

/** @param place where to create it; by default where the source is */
export async function targetIndex(
  client: ApiClient,
  {
    source,
    name,
    place,
  }: {
    readonly source: IndexDescription;
    readonly name: string;
    readonly place: { readonly cloud: string; readonly region: string } | null;
  },
): Promise<{ readonly index: IndexDescription; readonly isNew: boolean }> {
  const found = await describeIndex(client, name).catch((error: unknown) => {
    if (error instanceof Refusal && error.status === HTTP_NOT_FOUND) return null;
    throw error;
  });
  if (found !== null) {
    checkSame(source, found);
    return { index: found, isNew: false };
  }
  const { metric, dimension, vectorType, tags, serverless } = source;
  await client.call('POST', '/indexes', {
    isOnce: true,
    body: {
      name,
      metric,
      vector_type: vectorType,
      ...(dimension === null ? {} : { dimension }),
      spec: { serverless: place ?? serverless ?? { cloud: 'aws', region: 'us-east-1' } },
      ...(tags === null ? {} : { tags }),
    },
  });
  return { index: await whenReady(client, name), isNew: true };
}

async function whenReady(client: ApiClient, name: string): Promise<IndexDescription> {
  const end = performance.now() + READY_MS_MAX;
  for (;;) {
    const json = await client.call('GET', `/indexes/${encodeURIComponent(name)}`);
    if (membersOf(json.status).ready === true) return factsOf(json);
    if (performance.now() > end) throw new CliProblem(`Index ${name} did not become ready in time.`);
    await pause(LOOK_MS);
  }
}

function checkSame(source: IndexDescription, target: IndexDescription): void {
  for (const field of ['dimension', 'metric', 'vectorType'] as const) {
    if (source[field] !== target[field]) {
      throw new CliProblem(
        `Index ${target.name} exists with ${field} ${target[field]}; expected ${source[field]}, as in the source.`,
      );
    }
  }
}

function factsOf(json: JsonObject): IndexDescription {
  const { name, host, dimension, metric, vector_type: vectorType, tags, spec, embed } = json;
  if (embed !== undefined && embed !== null) {
    throw new CliProblem(
      `Index ${name} embeds its records itself; only indexes with vectors of your own can be migrated.`,
    );
  }
  const { serverless, pod } = membersOf(spec);
  if (pod !== undefined && pod !== null) {
    throw new CliProblem(`Index ${name} is pod-based: its ids cannot be listed, so it cannot be migrated.`);
  }
  return {
    name: String(name),
    host: String(host),
    dimension: typeof dimension === 'number' ? dimension : null,
    metric: String(metric),
    vectorType: typeof vectorType === 'string' ? vectorType : 'dense',
    tags: isJsonObject(tags) ? textsOf(tags) : null,
    serverless: isJsonObject(serverless)
      ? { cloud: String(serverless.cloud), region: String(serverless.region) }
      : null,
  };
}

function textsOf(fields: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
}
