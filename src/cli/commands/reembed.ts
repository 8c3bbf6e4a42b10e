// pinyon reembed: makes the vectors of an integrated index anew, after its model has changed.
import { ApiClient } from '../api-client.ts';
import { readWords } from '../arguments.ts';
import { CliProblem, EXIT_DONE, type Io } from '../command.ts';
import { print } from '../print.ts';
import { count, watch } from '../watch.ts';

const HELP = `
Usage: pinyon reembed INDEX [--no-wait]

Embeds the stored text of every record of INDEX again, with the model that serves it now. The server goes on meanwhile;
until it is done, text writes and text searches of this index are refused. Safe to repeat, and taken up again by itself
after a restart. Records without a text keep their vectors.

  --no-wait        Return as soon as it was begun
`;

const ENDS = ['Completed', 'Failed', 'Cancelled'];

export async function reembed(line: readonly string[], io: Io): Promise<number> {
  const options = { 'no-wait': { type: 'boolean' } } as const;
  const words = readWords(line, { help: HELP, options, placesMin: 1, placesMax: 1 }, io);
  if (words === null) return EXIT_DONE;
  const [name = ''] = words.places;
  const client = ApiClient.of(words, io);
  const path = `/indexes/${encodeURIComponent(name)}/reembed`;
  const begun = await client.call('POST', path);
  if (words.flag('no-wait')) {
    print(words, io, { json: begun, text: `Index ${name} is being re-embedded.` });
    return EXIT_DONE;
  }
  const json = await watch(
    {
      what: 'Re-embedding',
      look: () => client.call('GET', path),
      percentOf: ({ percent_complete: percent }) => Number(percent ?? 0),
      detailOf: ({ state, records_remade: remade, error }) =>
        `${state}, ${count(remade)} records${error === undefined ? '' : `: ${error}`}`,
      hasEnded: ({ state }) => ENDS.includes(String(state)),
    },
    io,
  );
  if (json.state !== 'Completed') {
    throw new CliProblem(`The re-embedding of index ${name} has ended as ${json.state}: ${json.error ?? ''}`);
  }
  const kept =
    Number(json.records_kept) > 0 ? `; ${count(json.records_kept)} without a text are as before` : '';
  const text = `Index ${name} is re-embedded: ${count(json.records_remade)} records${kept}.`;
  print(words, io, { json, text });
  return EXIT_DONE;
}
