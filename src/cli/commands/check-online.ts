// The online form of pinyon check: a running server verifies its indexes.
import type { JsonObject } from '../../domain/json.ts';
import { ApiClient } from '../client/api-client.ts';
import { EXIT_DONE, EXIT_FAILED, type Io, type ParsedWords } from '../command.ts';
import { print } from '../terminal/print.ts';
import { counted, watch } from '../terminal/watch.ts';

/** The API version that has these endpoints. */
const VERSION = '2026-07';
const ENDS = ['Completed', 'Failed', 'Cancelled'];

export async function checkOnline(words: ParsedWords, io: Io): Promise<number> {
  const client = await ApiClient.of(words, io);
  const names = words.positionals.length > 0 ? words.positionals : await allNames(client);
  const checked: JsonObject[] = [];
  for (const name of names) checked.push(await checkOne(client, name, io));
  const isWhole = checked.every(({ is_whole: isWhole }) => isWhole === true);
  const text = [...checked.flatMap(linesOf), isWhole ? 'Everything is whole.' : 'Damage was found.'].join(
    '\n',
  );
  print(words, io, { json: { is_whole: isWhole, indexes: checked }, text });
  return isWhole ? EXIT_DONE : EXIT_FAILED;
}

async function allNames(client: ApiClient): Promise<readonly string[]> {
  const { indexes } = await client.call('GET', '/indexes', { version: VERSION });
  return (indexes as readonly JsonObject[]).map(({ name }) => String(name));
}

async function checkOne(client: ApiClient, name: string, io: Io): Promise<JsonObject> {
  const path = `/indexes/${encodeURIComponent(name)}/check`;
  await client.call('POST', path, { version: VERSION });
  return watch(
    {
      what: `Check of ${name}`,
      look: () => client.call('GET', path, { version: VERSION }),
      percentOf: ({ percent_complete: percent }) => Number(percent ?? 0),
      detailOf: ({ state }) => String(state),
      hasEnded: ({ state }) => ENDS.includes(String(state)),
    },
    io,
  );
}

function linesOf(check: JsonObject): readonly string[] {
  const { index_name: name, state, is_whole: isWhole, error } = check;
  if (state !== 'Completed') return [`index ${name}: not checked: ${error ?? state}`];
  const namespaces = check.namespaces as readonly JsonObject[];
  const records = namespaces.reduce((sum, each) => sum + Number(each.records), 0);
  return [
    `index ${name}: ${isWhole === true ? 'whole' : 'DAMAGED'}, ${counted(records, 'whole record')}`,
    ...(check.problems as readonly string[]).map((problem) => `  ${problem}`),
    ...namespaces.filter(({ lost }) => Number(lost) > 0).map((each) => `  ${lostLine(each)}`),
    ...(check.backups as readonly JsonObject[])
      .filter(({ problem }) => problem !== undefined)
      .map(({ backup_id: id, problem }) => `  backup ${id}: ${problem}`),
  ];
}

function lostLine({ name, lost, lost_ids: ids }: JsonObject): string {
  const named = (ids as readonly string[]).slice(0, 20).map((id) => JSON.stringify(id));
  return `namespace '${name ?? ''}': ${counted(lost, 'record')} lost: ${named.join(', ')}`;
}
