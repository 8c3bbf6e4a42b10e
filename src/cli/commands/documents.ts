// pinyon document search and fetch: reads the documents of an index.
import { NEWEST_API_VERSION } from '../../domain/api-version.ts';
import { type JsonObject, membersOf } from '../../domain/json.ts';
import { ApiClient } from '../client/api-client.ts';
import { documentTarget, type IndexTarget } from '../client/index-target.ts';
import { CliProblem, EXIT_DONE, type Io, type ParsedWords } from '../command.ts';
import { jsonOption, namesOf, wholeNumber } from '../line/parse-words.ts';
import { idText } from '../terminal/controls.ts';
import { printRows } from '../terminal/print.ts';
import { idBatches } from './records/ids.ts';

const VERSION = NEWEST_API_VERSION;
const TOP_K_PRESET = 10;

export async function searchDocuments(words: ParsedWords, io: Io): Promise<number> {
  const target = await documentTarget(words, io);
  const [, query = ''] = words.positionals;
  const filter = jsonOption(words, 'filter');
  const shown = namesOf(words, 'show');
  const clauses = await clausesOf(target, words, io, query);
  const isCounted = words.flag('count');
  const { matches, count } = await target.client.call('POST', pathOf(target, 'search'), {
    version: VERSION,
    body: {
      score_by: clauses,
      ...(clauses.length > 1 ? { fusion: { method: 'weighted' } } : {}),
      top_k: wholeNumber(words, 'top-k', TOP_K_PRESET),
      include_fields: shown ?? ['*'],
      ...(filter === undefined ? {} : { filter }),
      ...(isCounted ? { count: true } : {}),
    },
  });
  const json = matches as readonly JsonObject[];
  const rows = json.map(({ _id, _score, ...fields }) => ({
    _id: idText(String(_id)),
    _score: Number(Number(_score).toPrecision(6)),
    fields,
  }));
  const columns = { _id: 'ID', _score: 'SCORE', fields: 'FIELDS' };
  printRows(words, io, { json: isCounted ? { matches: json, count } : json, rows, columns });
  if (isCounted && !words.flag('json')) io.err(`${matchingText(Number(membersOf(count).value))}\n`);
  return EXIT_DONE;
}

/** Beside the rows, which programs may read. */
function matchingText(count: number): string {
  return count === 1 ? '1 document matches.' : `${count} documents match.`;
}

/** Words, meaning or both, over the fields that the schema has for it. @throws CliProblem */
async function clausesOf(
  { name }: IndexTarget,
  words: ParsedWords,
  io: Io,
  query: string,
): Promise<readonly JsonObject[]> {
  const by = words.text('by');
  if (by === 'query') return [{ type: 'query_string', query }];
  const server = await ApiClient.of(words, io);
  const index = await server.call('GET', `/indexes/${encodeURIComponent(name)}`, { version: VERSION });
  const schema = Object.entries(membersOf(membersOf(index.schema).fields));
  const chosen = namesOf(words, 'fields');
  const fields = schema.map(([field]) => field);
  const unknown = chosen?.find((field) => !fields.includes(field));
  if (unknown !== undefined)
    throw new CliProblem(`Index ${name} has no field ${unknown}; it has ${fields.join(', ')}.`);
  const fieldsWith = (key: string) =>
    schema
      .filter(([field, spec]) => (membersOf(spec)[key] ?? null) !== null && chosen?.includes(field) !== false)
      .map(([field]) => field);
  const texts = by === 'meaning' ? [] : fieldsWith('full_text_search');
  const embedded = by === 'words' ? [] : fieldsWith('embed');
  if (texts.length + embedded.length === 0)
    throw new CliProblem(`Index ${name} has no field to search by ${by ?? 'words or meaning'}.`);
  return [
    ...(texts.length === 0 ? [] : [{ type: 'text', fields: texts, query }]),
    ...(embedded.length === 0 ? [] : [{ type: 'embed', fields: embedded, query }]),
  ];
}

/** Prints the documents as lines that `pinyon document upsert` reads. */
export async function fetchDocuments(words: ParsedWords, io: Io): Promise<number> {
  const target = await documentTarget(words, io);
  const all: JsonObject[] = [];
  for await (const ids of idBatches(words.positionals.slice(1), io)) {
    const { documents } = await target.client.call('POST', pathOf(target, 'fetch'), {
      version: VERSION,
      body: { ids, include_fields: ['*'] },
    });
    const found = membersOf(documents);
    const records = ids.flatMap((id) => (!Object.hasOwn(found, id) ? [] : [membersOf(found[id])]));
    all.push(...records);
    if (!words.flag('json')) io.out(records.map((each) => `${JSON.stringify(each)}\n`).join(''));
  }
  if (words.flag('json')) io.out(`${JSON.stringify(all)}\n`);
  return EXIT_DONE;
}

function pathOf({ namespace }: IndexTarget, name: string): string {
  return `/namespaces/${encodeURIComponent(namespace)}/documents/${name}`;
}
