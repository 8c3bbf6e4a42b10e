// pinyon branch: namespaces that begin as what others are, compared, merged and dropped.
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { ApiClient } from '../client/api-client.ts';
import { beginOnce } from '../client/begin-once.ts';
import { EXIT_DONE, type Io, misuse, type ParsedWords } from '../command.ts';
import { optionalNumber } from '../line/parse-words.ts';
import { confirm } from '../terminal/confirm.ts';
import { idText } from '../terminal/controls.ts';
import { print, printRows } from '../terminal/print.ts';
import { count, counted, endedOtherwise, watch } from '../terminal/watch.ts';

const COLUMNS = {
  name: 'NAME',
  source: 'SOURCE',
  base_lsn: 'SINCE LSN',
  state: 'STATE',
  record_count: 'RECORDS',
  own_record_count: 'OWN',
  changed_record_count: 'CHANGED',
  changed_in_source_count: 'IN SOURCE',
};
const ENDS = ['Completed', 'Failed', 'Cancelled'];

function branchesPath(words: ParsedWords): string {
  const [index = ''] = words.positionals;
  return `/indexes/${encodeURIComponent(index)}/branches`;
}

function branchPath(words: ParsedWords): string {
  const [, name = ''] = words.positionals;
  return `${branchesPath(words)}/${encodeURIComponent(name)}`;
}

export async function createBranch(words: ParsedWords, io: Io): Promise<number> {
  const client = await ApiClient.of(words, io);
  const [, name = ''] = words.positionals;
  const [source, asOf] = [words.text('source'), words.text('as-of')];
  const body = { name, ...(source !== undefined && { source }), ...(asOf !== undefined && momentOf(asOf)) };
  const branch = await client.call('POST', branchesPath(words), { body });
  print(words, io, { json: branch, text: textOf(branch) });
  return EXIT_DONE;
}

export async function listBranches(words: ParsedWords, io: Io): Promise<number> {
  const client = await ApiClient.of(words, io);
  const json = await client.call('GET', branchesPath(words));
  printRows(words, io, { json, rows: objectsIn(json.branches), columns: COLUMNS });
  return EXIT_DONE;
}

export async function describeBranch(words: ParsedWords, io: Io): Promise<number> {
  const client = await ApiClient.of(words, io);
  const json = await client.call('GET', branchPath(words));
  print(words, io, { json, text: textOf(json) });
  return EXIT_DONE;
}

export async function showDifferences(words: ParsedWords, io: Io): Promise<number> {
  const client = await ApiClient.of(words, io);
  const query = new URLSearchParams({ counts: 'true' });
  for (const name of ['limit', 'after']) {
    const value = words.text(name);
    if (value !== undefined) query.set(name, value);
  }
  const json = await client.call('GET', `${branchPath(words)}/differences?${query}`);
  print(words, io, { json, text: differencesText(json) });
  return EXIT_DONE;
}

export async function compareBranch(words: ParsedWords, io: Io): Promise<number> {
  const client = await ApiClient.of(words, io);
  const [, , ...ids] = words.positionals;
  const texts = words.texts('text');
  if (ids.length + texts.length === 0) throw misuse('Name an ID, or pass --text.');
  const body = {
    queries: [...ids.map((id) => ({ id })), ...texts.map((text) => ({ text }))],
    top_k: optionalNumber(words, 'top-k'),
    ...(words.flag('recall') && { recall: true }),
  };
  const json = await client.call('POST', `${branchPath(words)}/compare`, { body });
  const names = [...ids, ...texts];
  const lines = objectsIn(json.queries).flatMap(({ overlap, recall, moved }, i) => [
    `${names[i]}: ${percent(overlap)} of the results${recallText(recall)}`,
    ...objectsIn(moved).map(
      ({ id, in_source: before, in_branch: after }) =>
        `  ${idText(String(id))}  ${before ?? '-'} -> ${after ?? '-'}`,
    ),
  ]);
  const all = `The branch has ${percent(json.overlap)} of the results${recallText(json.recall)}.`;
  print(words, io, { json, text: [all, ...lines].join('\n') });
  return EXIT_DONE;
}

function recallText(recall: unknown): string {
  if (!isJsonObject(recall)) return '';
  return `; recall ${percent(recall.source)} in the source, ${percent(recall.branch)} in the branch`;
}

export async function mergeBranch(words: ParsedWords, io: Io): Promise<number> {
  const client = await ApiClient.of(words, io);
  const path = `${branchPath(words)}/merge`;
  const onConflict = words.text('on-conflict');
  const body = onConflict === undefined ? {} : { on_conflict: onConflict };
  const lookWith = `pinyon history ${words.positionals[0]}`;
  const begun = await beginOnce(client, { what: 'The merge', path, body, lookWith });
  if (words.flag('no-wait')) {
    print(words, io, { json: begun, text: 'The merge has begun.' });
    return EXIT_DONE;
  }
  const json = await watch(
    {
      what: 'Merging',
      look: () => client.call('GET', path),
      percentOf: ({ percent_complete: done }) => Number(done ?? 0),
      detailOf: ({ state, error }) => `${state}${error === undefined ? '' : `: ${error}`}`,
      hasEnded: ({ state }) => ENDS.includes(String(state)),
    },
    io,
  );
  if (json.state !== 'Completed')
    throw endedOtherwise('The merge', { status: json.state, error: json.error });
  const { source } = await client.call('GET', branchPath(words));
  const { records_written: written, records_deleted: deleted, conflicts, from_lsn: fromLsn } = json;
  const text =
    `${counted(written, 'record')} written, ${count(deleted)} deleted; both sides had changed ${count(conflicts)}. ` +
    `To undo this: pinyon undo ${words.positionals[0]} --namespace ${source} --to-lsn ${fromLsn}`;
  print(words, io, { json, text });
  return EXIT_DONE;
}

export async function dropBranch(words: ParsedWords, io: Io): Promise<number> {
  const client = await ApiClient.of(words, io);
  const { name, changed_record_count: changed } = await client.call('GET', branchPath(words));
  await confirm(words, io, `Branch ${name} with ${counted(changed, 'changed record')} will be dropped.`);
  await client.call('DELETE', branchPath(words));
  print(words, io, { json: {}, text: 'The branch is gone.' });
  return EXIT_DONE;
}

function momentOf(text: string): JsonObject {
  return /^\d{1,15}$/.test(text) ? { as_of_lsn: Number(text) } : { as_of_time: text };
}

function textOf(branch: JsonObject): string {
  const { name, source, base_lsn: lsn, state, record_count: records, own_record_count: own } = branch;
  const { changed_record_count: changed, changed_in_source_count: inSource } = branch;
  return (
    `${name}  of ${source} as of LSN ${lsn}, ${state}: ${counted(records, 'record')}, ${count(own)} of its own; ` +
    `${count(changed)} changed, ${count(inSource)} changed in the source`
  );
}

function differencesText(json: JsonObject): string {
  const counts = isJsonObject(json.counts) ? json.counts : {};
  const side = (name: string) => {
    const of = counts[name];
    const { added = 0, changed = 0, deleted = 0 } = isJsonObject(of) ? of : {};
    return `${count(added)} added, ${count(changed)} changed, ${count(deleted)} deleted`;
  };
  return [
    `In the branch: ${side('in_branch')}.`,
    `In its source: ${side('in_source')}.`,
    `Changed by both: ${count(counts.conflicts)}.`,
    ...objectsIn(json.differences).map(
      ({ id, in_branch: branch, in_source: source }) =>
        `  ${idText(String(id))}  ${branch ?? '-'}  ${source ?? '-'}`,
    ),
    ...(json.next === undefined ? [] : [`  More: --after ${json.next}`]),
  ].join('\n');
}

function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function percent(share: unknown): string {
  return `${Math.round(Number(share) * 1_000) / 10} %`;
}
