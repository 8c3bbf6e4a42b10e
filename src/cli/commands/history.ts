// pinyon history and pinyon undo: what changed in an index, and the way back.
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { ApiClient } from '../client/api-client.ts';
import { beginOnce } from '../client/begin-once.ts';
import { EXIT_DONE, type Io, misuse, type ParsedWords } from '../command.ts';
import { confirm } from '../terminal/confirm.ts';
import { print, printRows } from '../terminal/print.ts';
import { count, counted, endedOtherwise, watch } from '../terminal/watch.ts';

const COLUMNS = {
  lsn: 'LSN',
  time: 'TIME',
  namespace: 'NAMESPACE',
  kind: 'CHANGE',
  record_count: 'RECORDS',
  cause: 'CAUSE',
};
const ENDS = ['Completed', 'Failed', 'Cancelled'];

function pathOf(words: ParsedWords): string {
  const [index = ''] = words.positionals;
  return `/indexes/${encodeURIComponent(index)}`;
}

export async function showHistory(words: ParsedWords, io: Io): Promise<number> {
  const client = await ApiClient.of(words, io);
  const history = await client.call('GET', `${pathOf(words)}/history`);
  const query = new URLSearchParams();
  for (const name of ['namespace', 'limit', 'before']) {
    const value = words.text(name);
    if (value !== undefined) query.set(name, value);
  }
  const page = await client.call('GET', `${pathOf(words)}/history/changes?${query}`);
  const json = { ...history, ...page };
  if (history.enabled !== true) {
    print(words, io, { json, text: 'The server keeps no history of the index.' });
    return EXIT_DONE;
  }
  const rows = Array.isArray(page.changes) ? page.changes.filter(isJsonObject) : [];
  if (!words.flag('json'))
    io.err(
      `The history reaches back to ${history.from_time} (LSN ${history.from_lsn}) and takes ${count(history.bytes)} bytes.\n`,
    );
  printRows(words, io, { json, rows, columns: COLUMNS });
  if (page.next !== undefined && !words.flag('json')) io.err(`Earlier ones: --before ${page.next}\n`);
  return EXIT_DONE;
}

export async function undo(words: ParsedWords, io: Io): Promise<number> {
  const client = await ApiClient.of(words, io);
  const path = `${pathOf(words)}/undo`;
  const body = bodyOf(words);
  await confirm(words, io, `${whatOf(words)} will be as it was ${momentOf(body)}.`);
  const lookWith = `pinyon history ${words.positionals[0]}`;
  const begun = await beginOnce(client, { what: 'The undo', path, body, lookWith });
  if (words.flag('no-wait')) {
    print(words, io, { json: begun, text: 'The undo has begun.' });
    return EXIT_DONE;
  }
  const json = await watch(
    {
      what: 'Undoing',
      look: () => client.call('GET', path),
      percentOf: ({ percent_complete: percent }) => Number(percent ?? 0),
      detailOf: ({ state, error }) => `${state}${error === undefined ? '' : `: ${error}`}`,
      hasEnded: ({ state }) => ENDS.includes(String(state)),
    },
    io,
  );
  if (json.state !== 'Completed') throw endedOtherwise('The undo', { status: json.state, error: json.error });
  const namespace = words.text('namespace');
  const onlyIn = namespace === undefined ? '' : ` --namespace ${namespace}`;
  const { records_restored: restored, records_removed: removed, from_lsn: fromLsn } = json;
  const text =
    `${counted(restored, 'record')} put back as before, ${count(removed)} later ones removed. ` +
    `To undo this: pinyon undo ${words.positionals[0]}${onlyIn} --to-lsn ${fromLsn}`;
  print(words, io, { json, text: [text, ...leftIn(json)].join('\n') });
  return EXIT_DONE;
}

function whatOf(words: ParsedWords): string {
  const [index = ''] = words.positionals;
  const namespace = words.text('namespace');
  return namespace === undefined ? `Index ${index}` : `Namespace ${namespace} of index ${index}`;
}

function momentOf({ to_time: time, to_lsn: lsn }: JsonObject): string {
  return time === undefined ? `after the write with LSN ${lsn}` : `at ${time}`;
}

/** A line for each namespace that is left as it is. */
function leftIn({ left_namespaces: left }: JsonObject): readonly string[] {
  const all = Array.isArray(left) ? (left as readonly JsonObject[]) : [];
  return all.map(({ namespace, reason }) => `Namespace '${namespace}' is left as it is: ${reason}.`);
}

function bodyOf(words: ParsedWords): JsonObject {
  const [lsn, time, before] = [words.text('to-lsn'), words.text('to'), words.text('before')];
  if ([lsn, time, before].filter((each) => each !== undefined).length !== 1)
    throw misuse('Give one of --to TIME, --to-lsn LSN and --before LSN.');
  const namespace = words.text('namespace');
  const own = namespace === undefined ? {} : { namespace };
  if (time !== undefined) return { ...own, to_time: time };
  return { ...own, to_lsn: lsn === undefined ? numberOf(before, '--before') - 1 : numberOf(lsn, '--to-lsn') };
}

function numberOf(text: string | undefined, where: string): number {
  if (text === undefined || !/^\d{1,15}$/.test(text)) throw misuse(`${where} must be an LSN, got '${text}'.`);
  return Number(text);
}
