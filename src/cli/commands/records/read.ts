// pinyon record query, fetch and list: reads records of vectors and texts.
import { NEWEST_API_VERSION } from '../../../domain/api-version.ts';
import { type JsonObject, membersOf } from '../../../domain/json.ts';
import { everyPage } from '../../client/every-page.ts';
import { type IndexTarget, indexTarget, wireNamespace } from '../../client/index-target.ts';
import { CliProblem, EXIT_DONE, type Io, misuse, type ParsedWords } from '../../command.ts';
import { jsonOption, wholeNumber } from '../../line/parse-words.ts';
import { idText } from '../../terminal/controls.ts';
import { printRows } from '../../terminal/print.ts';
import { idBatches } from './ids.ts';
import { vectorOption } from './vector-option.ts';

const TOP_K_PRESET = 10;
const PAGE = 100;
const COLUMNS = { id: 'ID', score: 'SCORE', metadata: 'METADATA' };

export async function queryRecords(words: ParsedWords, io: Io): Promise<number> {
  const [text, id, vector] = [words.text('text'), words.text('id'), words.text('vector')];
  if ([text, id, vector].filter((each) => each !== undefined).length !== 1)
    throw misuse('Pass one of --text, --id and --vector.');
  const target = await indexTarget(words, io);
  if (target.kind === 'documents')
    throw new CliProblem(`${target.name} is an index of documents: use 'pinyon document search'.`);
  const json = text === undefined ? await byVector(target, words, io) : await byText(target, words, text);
  const rows = json.map(
    ({ id, _id = id, score, _score = score, metadata, fields = metadata ?? undefined }) => ({
      id: idText(String(_id)),
      score: Number(Number(_score).toPrecision(6)),
      metadata: fields,
    }),
  );
  printRows(words, io, { json, rows, columns: COLUMNS });
  return EXIT_DONE;
}

async function byText(
  { client, kind, namespace, name }: IndexTarget,
  words: ParsedWords,
  text: string,
): Promise<readonly JsonObject[]> {
  if (kind !== 'texts') throw new CliProblem(`The server embeds no texts for index ${name}; pass --vector.`);
  const filter = jsonOption(words, 'filter');
  const { result } = await client.call(
    'POST',
    `/records/namespaces/${encodeURIComponent(namespace)}/search`,
    {
      body: {
        query: {
          inputs: { text },
          top_k: wholeNumber(words, 'top-k', TOP_K_PRESET),
          ...(filter === undefined ? {} : { filter }),
        },
      },
    },
  );
  return membersOf(result).hits as readonly JsonObject[];
}

async function byVector(
  { client, namespace }: IndexTarget,
  words: ParsedWords,
  io: Io,
): Promise<readonly JsonObject[]> {
  const filter = jsonOption(words, 'filter');
  const vector = await vectorOption(words, 'vector', io);
  const { matches } = await client.call('POST', '/query', {
    body: {
      namespace: wireNamespace(namespace),
      topK: wholeNumber(words, 'top-k', TOP_K_PRESET),
      includeMetadata: true,
      includeValues: words.flag('values'),
      ...(vector === null && { id: words.text('id') }),
      ...(vector?.kind === 'dense' && { vector: vector.json }),
      ...(vector?.kind === 'sparse' && { sparseVector: vector.json }),
      ...(filter === undefined ? {} : { filter }),
    },
  });
  return matches as readonly JsonObject[];
}

/** Prints the records as lines that `pinyon record upsert` reads. */
export async function fetchRecords(words: ParsedWords, io: Io): Promise<number> {
  const { client, namespace, kind, name } = await indexTarget(words, io);
  if (kind === 'documents')
    throw new CliProblem(`${name} is an index of documents: use 'pinyon document fetch'.`);
  const all: JsonObject[] = [];
  for await (const ids of idBatches(words.positionals.slice(1), io)) {
    const query = new URLSearchParams([
      ...ids.map((id) => ['ids', id]),
      ['namespace', wireNamespace(namespace)],
      ['allowSpaces', 'true'],
    ]);
    const { vectors } = await client.call('GET', `/vectors/fetch?${query}`);
    const found = membersOf(vectors);
    const records = ids.flatMap((id) => (!Object.hasOwn(found, id) ? [] : [rowOf(membersOf(found[id]))]));
    all.push(...records);
    if (!words.flag('json')) io.out(records.map((each) => `${JSON.stringify(each)}\n`).join(''));
  }
  if (words.flag('json')) io.out(`${JSON.stringify(all)}\n`);
  return EXIT_DONE;
}

/** As files for imports have records. */
function rowOf({ id, values, sparseValues, metadata }: JsonObject): JsonObject {
  const hasValues = Array.isArray(values) && values.length > 0;
  return {
    id,
    ...(hasValues ? { values } : {}),
    ...(sparseValues === undefined || sparseValues === null ? {} : { sparse_values: sparseValues }),
    ...(metadata === undefined || metadata === null ? {} : { metadata }),
  };
}

/** Prints ids, one per line. */
export async function listRecords(words: ParsedWords, io: Io): Promise<number> {
  const target = await indexTarget(words, io);
  const most = words.text('limit') === undefined ? Number.POSITIVE_INFINITY : wholeNumber(words, 'limit', 1);
  const ids: string[] = [];
  for await (const { id, _id = id } of pagesOf(target, words.text('prefix'))) {
    if (ids.length >= most) break;
    ids.push(String(_id));
    if (!words.flag('json')) io.out(`${idText(String(_id))}\n`);
  }
  if (words.flag('json')) io.out(`${JSON.stringify(ids)}\n`);
  return EXIT_DONE;
}

function pagesOf(target: IndexTarget, prefix: string | undefined): AsyncIterable<JsonObject> {
  const { client, namespace, kind } = target;
  if (kind === 'documents') return documentPages(target, prefix);
  const query = new URLSearchParams({
    namespace: wireNamespace(namespace),
    limit: String(PAGE),
    ...(prefix === undefined ? {} : { prefix }),
  });
  return everyPage(client, `/vectors/list?${query}`, 'vectors');
}

async function* documentPages({ client, namespace }: IndexTarget, prefix: string | undefined) {
  for (let token: unknown; ; ) {
    const page = await client.call('POST', `/namespaces/${encodeURIComponent(namespace)}/documents/list`, {
      version: NEWEST_API_VERSION,
      body: {
        limit: PAGE,
        ...(prefix === undefined ? {} : { prefix }),
        ...(token === undefined ? {} : { pagination_token: token }),
      },
    });
    yield* page.documents as readonly JsonObject[];
    token = membersOf(page.pagination).next;
    if (typeof token !== 'string' || token === '') return;
  }
}
