// The form of pinyon recover for one index: a running server makes it anew, as it was at a moment.
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { ApiClient } from '../client/api-client.ts';
import { CliProblem, EXIT_DONE, type Io, misuse, type ParsedWords } from '../command.ts';
import { print } from '../terminal/print.ts';
import { watch } from '../terminal/watch.ts';

/** The API version that has these endpoints. */
const VERSION = '2026-07';
const ENDS = ['Completed', 'Failed', 'Cancelled'];
/** Options of the recovery of a whole installation. */
const OF_ALL = ['to', 'timeline'];

export async function recoverIndex(words: ParsedWords, io: Io): Promise<number> {
  for (const name of OF_ALL)
    if (words.text(name) !== undefined)
      throw misuse(`--${name} is for the recovery of everything, without --index.`);
  if (words.texts('without').length > 0)
    throw misuse('--without is for the recovery of everything, without --index.');
  const index = words.text('index') ?? '';
  const client = await ApiClient.of(words, io);
  const path = `/indexes/${encodeURIComponent(index)}/recoveries`;
  if (words.flag('dry-run')) {
    const json = await client.call('GET', path, { version: VERSION });
    print(words, io, { json, text: spansText(json) });
    return EXIT_DONE;
  }
  const [time, name] = [words.text('at'), words.text('as')];
  if (time === undefined || name === undefined)
    throw misuse('--index needs --at TIME and --as NAME, or --dry-run.');
  const begun = await client.call('POST', path, { version: VERSION, body: { name, time }, isOnce: true });
  const id = String(begun.recovery_id);
  if (words.flag('no-wait')) {
    print(words, io, { json: begun, text: `Recovery ${id} to index ${name} has started.` });
    return EXIT_DONE;
  }
  const json = await watch(
    {
      what: 'Recover',
      look: () => client.call('GET', `/recoveries/${id}`, { version: VERSION }),
      percentOf: ({ percent_complete: percent }) => Number(percent ?? 0),
      detailOf: ({ status }) => String(status),
      hasEnded: ({ status }) => ENDS.includes(String(status)),
    },
    io,
  );
  if (json.status !== 'Completed')
    throw new CliProblem(`Recovery ${id} ended as ${json.status}: ${json.error ?? ''}`);
  print(words, io, { json, text: `Index ${name} is what ${json.source_index_name} was at ${json.time}.` });
  return EXIT_DONE;
}

function spansText({ enabled, index_name: name, index_id: id, last_time: last, spans }: JsonObject): string {
  if (enabled !== true) return 'The server keeps no recovery log.';
  const lines = Array.isArray(spans) ? spans.filter(isJsonObject) : [];
  return [
    `index ${name} (${id})${last === undefined ? '' : ', which was deleted'}`,
    ...lines.map(({ from_time: from, to_time: to }) => `  from ${from} to ${to}`),
    ...(lines.length === 0 ? ['  nothing was shipped so far'] : []),
  ].join('\n');
}
