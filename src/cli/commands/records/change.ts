// pinyon record update, pinyon record delete, pinyon document delete: changes and deletes stored records.
import { NEWEST_API_VERSION } from '../../../domain/api-version.ts';
import { membersOf } from '../../../domain/json.ts';
import { type ApiClient, Refusal } from '../../client/api-client.ts';
import { type IndexTarget, indexTarget, wireNamespace } from '../../client/index-target.ts';
import { CliProblem, EXIT_DONE, type Io, misuse, type ParsedWords } from '../../command.ts';
import { jsonOption } from '../../line/parse-words.ts';
import { confirm } from '../../terminal/confirm.ts';
import { print } from '../../terminal/print.ts';
import { counted } from '../../terminal/watch.ts';
import { idBatches } from './ids.ts';
import { vectorOption } from './vector-option.ts';

export async function updateRecord(words: ParsedWords, io: Io): Promise<number> {
  const { client, namespace, kind, name } = await indexTarget(words, io);
  if (kind === 'documents')
    throw new CliProblem(`${name} is an index of documents: use 'pinyon document upsert'.`);
  const [, id = ''] = words.positionals;
  const [values, metadata] = [await vectorOption(words, 'values', io), jsonOption(words, 'metadata')];
  if (values === null && metadata === undefined) throw misuse('Pass --values or --metadata.');
  // Updates of absent records do nothing, and are answered like others.
  if (await isAbsent(client, namespace, id))
    throw new CliProblem(`Index ${name} has no record ${id} in namespace ${namespace}.`);
  await client.call('POST', '/vectors/update', {
    body: {
      id,
      namespace: wireNamespace(namespace),
      ...(values?.kind === 'dense' && { values: values.json }),
      ...(values?.kind === 'sparse' && { sparseValues: values.json }),
      ...(metadata === undefined ? {} : { setMetadata: metadata }),
    },
  });
  print(words, io, { json: { id, updated: true }, text: `Record ${id} is updated.` });
  return EXIT_DONE;
}

/** False also where it cannot be told, as where reads are refused. */
async function isAbsent(client: ApiClient, namespace: string, id: string): Promise<boolean> {
  const query = new URLSearchParams({
    ids: id,
    namespace: wireNamespace(namespace),
    ...{ withoutValues: 'true', allowSpaces: 'true' },
  });
  try {
    const { vectors } = await client.call('GET', `/vectors/fetch?${query}`);
    return !Object.hasOwn(membersOf(vectors), id);
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

export async function deleteRecords(words: ParsedWords, io: Io): Promise<number> {
  const target = await indexTarget(words, io);
  const ids = words.positionals.slice(1);
  const filter = jsonOption(words, 'filter');
  if (words.flag('all') || filter !== undefined) {
    if (ids.length > 0 || (words.flag('all') && filter !== undefined))
      throw misuse('Pass one of ids, --filter and --all.');
    return deleteMany(target, filter, words, io);
  }
  let deleted = 0;
  for await (const batch of idBatches(ids, io)) {
    await send(target, { ids: batch });
    deleted += batch.length;
  }
  const text = `${counted(deleted, 'id')} deleted from index ${target.name}.`;
  print(words, io, { json: { index: target.name, ids: deleted }, text });
  return EXIT_DONE;
}

/** All records of the namespace, or those that the filter matches. */
async function deleteMany(target: IndexTarget, filter: unknown, words: ParsedWords, io: Io): Promise<number> {
  const { name, namespace, kind } = target;
  const which = filter === undefined ? 'All records' : 'The records that the filter matches';
  await confirm(words, io, `${which} in namespace ${namespace} of index ${name} will be deleted.`);
  const all = kind === 'documents' ? { delete_all: true } : { deleteAll: true };
  await send(target, filter === undefined ? all : { filter });
  print(words, io, { json: { index: name, namespace, deleted: true }, text: `${which} are deleted.` });
  return EXIT_DONE;
}

async function send({ client, kind, namespace }: IndexTarget, body: object): Promise<void> {
  if (kind === 'documents') {
    const path = `/namespaces/${encodeURIComponent(namespace)}/documents/delete`;
    await client.call('POST', path, { body, version: NEWEST_API_VERSION });
  } else {
    const whole = { namespace: wireNamespace(namespace), ...body };
    await client.call('POST', '/vectors/delete', { body: whole });
  }
}
