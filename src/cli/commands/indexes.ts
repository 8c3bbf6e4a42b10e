// pinyon index: lists, creates, describes, changes and deletes indexes.
import { NEWEST_API_VERSION } from '../../domain/api-version.ts';
import { type JsonObject, membersOf } from '../../domain/json.ts';
import { ApiClient } from '../client/api-client.ts';
import { kindOf } from '../client/index-kind.ts';
import { CliProblem, EXIT_DONE, type Io, misuse, type ParsedWords } from '../command.ts';
import { jsonOption, pairs, wholeNumber } from '../line/parse-words.ts';
import { confirm } from '../terminal/confirm.ts';
import { print, printRows } from '../terminal/print.ts';
import { count, counted } from '../terminal/watch.ts';
import { readWhole } from './records/read-rows.ts';

const VERSION = NEWEST_API_VERSION;
const COLUMNS = {
  name: 'NAME',
  kind: 'KIND',
  dimension: 'DIMENSION',
  metric: 'METRIC',
  model: 'MODEL',
  state: 'STATE',
  host: 'HOST',
};
const USUAL_PLACE = { cloud: 'aws', region: 'us-east-1' };

export async function listIndexes(words: ParsedWords, io: Io): Promise<number> {
  const client = await ApiClient.of(words, io);
  const { indexes = [] } = await client.call<{ readonly indexes?: readonly JsonObject[] }>(
    'GET',
    '/indexes',
    { version: VERSION },
  );
  printRows(words, io, { json: indexes, rows: indexes.map(rowOf), columns: COLUMNS });
  return EXIT_DONE;
}

export async function describeIndex(words: ParsedWords, io: Io): Promise<number> {
  const client = await ApiClient.of(words, io);
  const index = await client.call('GET', pathOf(words), { version: VERSION });
  const stats = await statsOf(client, index);
  const fields = {
    ...rowOf(index),
    records: stats === null ? undefined : count(stats.totalVectorCount),
    namespaces: stats === null ? undefined : count(Object.keys(membersOf(stats.namespaces)).length),
    'deletion protection': index.deletion_protection,
    tags: index.tags === null ? undefined : JSON.stringify(index.tags),
  };
  const text = Object.entries(fields)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}: ${value}`);
  print(words, io, { json: { ...index, stats }, text: text.join('\n') });
  return EXIT_DONE;
}

export async function createIndex(words: ParsedWords, io: Io): Promise<number> {
  const client = await ApiClient.of(words, io);
  const { path = '/indexes', body } = await creationOf(words, io);
  const tags = pairs(words, 'tag');
  const json = await client.call('POST', path, {
    body: {
      name: words.positionals[0],
      ...body,
      ...(tags === undefined ? {} : { tags }),
      ...(words.flag('deletion-protection') ? { deletion_protection: 'enabled' } : {}),
    },
    isOnce: true,
    ...(words.text('schema') === undefined ? {} : { version: VERSION }),
  });
  print(words, io, { json, text: `Index ${json.name} is created; its address is ${json.host}.` });
  return EXIT_DONE;
}

export async function configureIndex(words: ParsedWords, io: Io): Promise<number> {
  const client = await ApiClient.of(words, io);
  const protection = words.text('deletion-protection');
  const tags = pairs(words, 'tag');
  if (protection === undefined && tags === undefined) throw misuse('Pass --tag or --deletion-protection.');
  const json = await client.call('PATCH', pathOf(words), {
    body: {
      ...(protection === undefined ? {} : { deletion_protection: protection }),
      ...(tags === undefined ? {} : { tags }),
    },
  });
  print(words, io, { json, text: `Index ${json.name} is changed.` });
  return EXIT_DONE;
}

export async function deleteIndex(words: ParsedWords, io: Io): Promise<number> {
  const [name = ''] = words.positionals;
  const client = await ApiClient.of(words, io);
  const index = await client.call('GET', pathOf(words));
  const stats = await statsOf(client, index);
  const content = stats === null ? '' : ` with ${counted(stats.totalVectorCount, 'record')}`;
  await confirm(words, io, `Index ${name}${content} will be deleted.`);
  await client.call('DELETE', pathOf(words));
  print(words, io, { json: { name, deleted: true }, text: `Index ${name} is deleted.` });
  return EXIT_DONE;
}

/** Null where the index does not tell, which keeps nobody from looking at it and deleting it. */
async function statsOf(client: ApiClient, { host, status }: JsonObject): Promise<JsonObject | null> {
  if (membersOf(status).ready !== true) return null;
  try {
    return await client.at(String(host)).call('GET', '/describe_index_stats');
  } catch (error) {
    if (error instanceof CliProblem) return null;
    throw error;
  }
}

function pathOf({ positionals: [name = ''] }: ParsedWords): string {
  return `/indexes/${encodeURIComponent(name)}`;
}

function rowOf(index: JsonObject): JsonObject {
  const { name, dimension, metric, embed, status, host, vector_type: type } = index;
  const kind = kindOf(index);
  return {
    name,
    kind: kind === 'vectors' && type === 'sparse' ? 'sparse vectors' : kind,
    dimension,
    metric,
    model: membersOf(embed).model,
    state: membersOf(status).state,
    host,
  };
}

interface Creation {
  readonly path?: string;
  readonly body: JsonObject;
}

/** Of vectors by --dimension or --sparse, of texts by --model, of documents by --schema. */
async function creationOf(words: ParsedWords, io: Io): Promise<Creation> {
  const place = {
    cloud: words.text('cloud') ?? USUAL_PLACE.cloud,
    region: words.text('region') ?? USUAL_PLACE.region,
  };
  const [dimension, model, schema] = [words.text('dimension'), words.text('model'), words.text('schema')];
  const isSparse = words.flag('sparse');
  const kinds = [dimension !== undefined, model !== undefined, schema !== undefined, isSparse];
  if (kinds.filter((each) => each).length !== 1)
    throw misuse('Pass one of --dimension, --sparse, --model and --schema.');
  if (schema !== undefined)
    return {
      body: { deployment: { deployment_type: 'managed', ...place }, schema: await schemaOf(words, io) },
    };
  if (model !== undefined) {
    const embed = { model, field_map: { text: words.text('field') ?? 'text' } };
    return { path: '/indexes/create-for-model', body: { ...place, embed } };
  }
  const spec = { serverless: place };
  if (isSparse) return { body: { vector_type: 'sparse', metric: 'dotproduct', spec } };
  const metric = words.text('metric') ?? 'cosine';
  return { body: { dimension: wholeNumber(words, 'dimension', 1), metric, spec } };
}

/** A schema, or its fields alone, from a JSON text or a file. @throws CliProblem */
async function schemaOf(words: ParsedWords, io: Io): Promise<unknown> {
  const given = words.text('schema') ?? '';
  const text = given.trimStart().startsWith('{') ? given : await readWhole(given, io);
  const json = jsonOption({ ...words, text: () => text }, 'schema');
  return membersOf(json).fields === undefined ? { fields: json } : json;
}
