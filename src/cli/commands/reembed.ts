// pinyon reembed: re-embeds an integrated index, or the files of an assistant, after models have changed.
import type { JsonObject } from '../../domain/json.ts';
import { ApiClient } from '../client/api-client.ts';
import { CliProblem, EXIT_DONE, type Io, type ParsedWords } from '../command.ts';
import { print } from '../terminal/print.ts';
import { count, counted, watch } from '../terminal/watch.ts';

const ENDS = ['Completed', 'Failed', 'Cancelled'];

/** What to re-embed, and how to report it. */
interface Subject {
  readonly what: string;
  readonly path: string;
  /** Describes what was re-embedded. */
  readonly made: (json: JsonObject) => string;
  /** Describes what is unchanged. */
  readonly rest: (json: JsonObject) => string;
}

export async function reembed(words: ParsedWords, io: Io): Promise<number> {
  const [name = ''] = words.positionals;
  const { what, path, made, rest } = (words.flag('assistant') ? assistant : index)(name);
  const client = await ApiClient.of(words, io);
  const begun = await client.call('POST', path);
  if (words.flag('no-wait')) {
    print(words, io, { json: begun, text: `${capital(what)} is being re-embedded.` });
    return EXIT_DONE;
  }
  const json = await watch(
    {
      what: 'Re-embedding',
      look: () => client.call('GET', path),
      percentOf: ({ percent_complete: percent }) => Number(percent ?? 0),
      detailOf: (now) => `${now.state}, ${made(now)}${now.error === undefined ? '' : `: ${now.error}`}`,
      hasEnded: ({ state }) => ENDS.includes(String(state)),
    },
    io,
  );
  if (json.state !== 'Completed') {
    throw new CliProblem(`Re-embedding ${what} ended as ${json.state}: ${json.error ?? ''}`);
  }
  const [all, left] = [made(json), rest(json)];
  const text =
    all.startsWith('0 ') && left === ''
      ? `Nothing of ${what} had to be re-embedded.`
      : `${capital(what)} is re-embedded: ${all}${left}.`;
  print(words, io, { json, text });
  return EXIT_DONE;
}

function index(name: string): Subject {
  return {
    what: `index ${name}`,
    path: `/indexes/${encodeURIComponent(name)}/reembed`,
    made: ({ records_remade: remade }) => counted(remade, 'record'),
    rest: ({ records_kept: kept }) =>
      Number(kept) > 0 ? `; ${count(kept)} without a text are unchanged` : '',
  };
}

function assistant(name: string): Subject {
  return {
    what: `assistant ${name}`,
    path: `/assistant/assistants/${encodeURIComponent(name)}/reembed`,
    made: ({ files_remade: remade }) => counted(remade, 'file'),
    rest: ({ files_failed: failed }) =>
      Number(failed) > 0 ? `; ${count(failed)} failed, with the reason in each file` : '',
  };
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
