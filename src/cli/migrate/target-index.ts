// The target index of a migration: created like the source, or found and compared with it.

import { setTimeout as pause } from 'node:timers/promises';
import { isJsonObject, type JsonObject, membersOf } from '../../domain/json.ts';
import { type ApiClient, Refusal } from '../client/api-client.ts';
import { kindOf } from '../client/index-kind.ts';
import { CliProblem } from '../command.ts';
import { DOCUMENTS_VERSION } from './document-kind.ts';

const HTTP_BAD_REQUEST = 400;
const HTTP_NOT_FOUND = 404;
const READY_MS_MAX = 300_000;
const LOOK_MS = 500;
const USUAL_PLACE = { cloud: 'aws', region: 'us-east-1' };

export interface IndexDescription {
  readonly name: string;
  readonly host: string;
  readonly dimension: number | null;
  readonly metric: string;
  readonly vectorType: string;
  readonly tags: Readonly<Record<string, string>> | null;
  readonly serverless: { readonly cloud: string; readonly region: string } | null;
  /** The fields of a document index, as a creation takes them; null on indexes of vectors. */
  readonly fields: JsonObject | null;
  /** The fields that filters may use, as a creation takes them; null where they may use all. */
  readonly metadataSchema: JsonObject | null;
}

/** @throws Refusal if there is none */
export async function describeIndex(client: ApiClient, name: string): Promise<IndexDescription> {
  const path = `/indexes/${encodeURIComponent(name)}`;
  // Servers that know no documents refuse the version.
  const newer = await client.call('GET', path, { version: DOCUMENTS_VERSION }).catch((error: unknown) => {
    if (error instanceof Refusal && error.status === HTTP_BAD_REQUEST) return {};
    throw error;
  });
  const documents = documentIndexOf(newer);
  return documents ?? detailsOf(await client.call('GET', path));
}

/** The target where it exists; null where it has to be created. @throws CliProblem for one that cannot take the copy */
export async function matchingTarget(
  client: ApiClient,
  source: IndexDescription,
  name: string,
): Promise<IndexDescription | null> {
  const found = await describeIndex(client, name).catch((error: unknown) => {
    if (error instanceof Refusal && error.status === HTTP_NOT_FOUND) return null;
    throw error;
  });
  if (found !== null) checkSame(source, found);
  return found;
}

/** @param place where to create it; by default where the source is */
export async function createTarget(
  client: ApiClient,
  { source, name, place }: NewTarget,
): Promise<IndexDescription> {
  if (source.fields === null) await createVectors(client, { source, name, place });
  else await createDocuments(client, { source, name, place });
  return whenReady(client, name);
}

interface NewTarget {
  readonly source: IndexDescription;
  readonly name: string;
  readonly place: { readonly cloud: string; readonly region: string } | null;
}

async function createDocuments(client: ApiClient, { source, name, place }: NewTarget): Promise<void> {
  const { tags, serverless, fields } = source;
  const deployment = { deployment_type: 'managed', ...(place ?? serverless ?? USUAL_PLACE) };
  const body = { name, deployment, schema: { fields }, ...(tags === null ? {} : { tags }) };
  await client.call('POST', '/indexes', { isOnce: true, body, version: DOCUMENTS_VERSION });
}

async function createVectors(client: ApiClient, { source, name, place }: NewTarget): Promise<void> {
  const { metric, dimension, vectorType, tags, serverless, metadataSchema } = source;
  const where = place ?? serverless ?? USUAL_PLACE;
  await client.call('POST', '/indexes', {
    isOnce: true,
    body: {
      name,
      metric,
      vector_type: vectorType,
      ...(dimension === null ? {} : { dimension }),
      spec: { serverless: { ...where, ...(metadataSchema === null ? {} : { schema: metadataSchema }) } },
      ...(tags === null ? {} : { tags }),
    },
  });
}

async function whenReady(client: ApiClient, name: string): Promise<IndexDescription> {
  const end = performance.now() + READY_MS_MAX;
  for (;;) {
    const json = await client.call('GET', `/indexes/${encodeURIComponent(name)}`);
    if (membersOf(json.status).ready === true) return describeIndex(client, name);
    if (performance.now() > end) throw new CliProblem(`Index ${name} did not become ready in time.`);
    await pause(LOOK_MS);
  }
}

function checkSame(source: IndexDescription, target: IndexDescription): void {
  const [expected, actual] = [source, target].map(({ fields }) =>
    fields === null ? '' : sortedText(fields),
  );
  if (expected !== actual) {
    throw new CliProblem(`Index ${target.name} exists with another schema of documents than the source has.`);
  }
  for (const field of ['dimension', 'metric', 'vectorType'] as const) {
    if (source[field] !== target[field]) {
      throw new CliProblem(
        `Index ${target.name} exists with ${field} ${target[field]}; expected ${source[field]}, as in the source.`,
      );
    }
  }
}

function detailsOf(json: JsonObject): IndexDescription {
  const { name, host, dimension, metric, vector_type: vectorType, tags, spec, embed } = json;
  if (embed !== undefined && embed !== null) {
    throw new CliProblem(
      `Index ${name} embeds its records itself; only indexes with vectors of your own can be migrated.`,
    );
  }
  const { serverless, byoc, pod } = membersOf(spec);
  if (pod !== undefined && pod !== null) {
    throw new CliProblem(`Index ${name} is pod-based: its ids cannot be listed, so it cannot be migrated.`);
  }
  const { schema } = membersOf(serverless ?? byoc);
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
    fields: null,
    metadataSchema: isJsonObject(schema) ? schema : null,
  };
}

/** Null for an index of vectors or for a model. @throws CliProblem for a document index that cannot be copied */
function documentIndexOf(json: JsonObject): IndexDescription | null {
  if (kindOf(json) !== 'documents') return null;
  const { name, host, schema, deployment, tags } = json;
  const fields = membersOf(membersOf(schema).fields);
  const unstored = Object.keys(fields).find((field) => membersOf(fields[field]).store_text === false);
  if (unstored !== undefined) {
    throw new CliProblem(
      `Index ${name} does not store the texts of field ${unstored} (store_text is false), so they cannot be copied.`,
    );
  }
  const { cloud, region } = membersOf(deployment);
  return {
    name: String(name),
    host: String(host),
    dimension: null,
    metric: '',
    vectorType: '',
    tags: isJsonObject(tags) ? textsOf(tags) : null,
    serverless: typeof cloud === 'string' && typeof region === 'string' ? { cloud, region } : null,
    fields: Object.fromEntries(Object.entries(fields).map(([field, details]) => [field, creatable(details)])),
    metadataSchema: null,
  };
}

/** The keys of a described field that a creation takes. */
function creatable(field: unknown): JsonObject {
  const { full_text_search: analysis, ...details } = withoutNulls(membersOf(field));
  if (analysis === undefined) return details;
  const { lowercase: _, max_term_len: __, ...chosen } = withoutNulls(membersOf(analysis));
  return { ...details, full_text_search: chosen };
}

function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

/** Equal for equal JSON, whatever the order of keys. */
function sortedText(json: unknown): string {
  return JSON.stringify(json, (_, value: unknown) =>
    isJsonObject(value) ? Object.fromEntries(Object.entries(value).sort()) : value,
  );
}

function textsOf(fields: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
}
