// pinyon recall: sets the recall that the searches of an index promise, and shows what audits found.
import { type JsonObject, membersOf } from '../../domain/json.ts';
import { ApiClient } from '../client/api-client.ts';
import { CliProblem, EXIT_DONE, type Io, type ParsedWords } from '../command.ts';
import { print } from '../terminal/print.ts';

function pathOf(words: ParsedWords): string {
  const [index = ''] = words.positionals;
  return `/indexes/${encodeURIComponent(index)}/recall`;
}

export async function setRecall(words: ParsedWords, io: Io): Promise<number> {
  const recall = Number(words.text('recall'));
  if (!Number.isFinite(recall)) throw new CliProblem('Give the recall as a number: --recall 0.99.');
  const json = await (await ApiClient.of(words, io)).call('PUT', pathOf(words), { body: { recall } });
  print(words, io, { json, text: textOf(json) });
  return EXIT_DONE;
}

export async function describeRecall(words: ParsedWords, io: Io): Promise<number> {
  const json = await (await ApiClient.of(words, io)).call('GET', pathOf(words));
  print(words, io, { json, text: textOf(json) });
  return EXIT_DONE;
}

export async function endRecall(words: ParsedWords, io: Io): Promise<number> {
  const json = await (await ApiClient.of(words, io)).call('DELETE', pathOf(words));
  print(words, io, { json, text: 'The index promises the usual recall.' });
  return EXIT_DONE;
}

function textOf({ recall, audited, state }: JsonObject): string {
  const { recall: share, low, high } = membersOf(audited);
  const promise =
    typeof recall === 'number'
      ? `The index promises a recall of ${recall}.`
      : 'The index promises the usual recall.';
  const shown =
    typeof share === 'number'
      ? `Audits have shown ${digits(share)}, and 95 % sure ${digits(low)} to ${digits(high)}`
      : 'There were too few audits, as where searches are exact';
  return `${promise} ${shown}${typeof state === 'string' ? `: ${state}.` : '.'}`;
}

function digits(share: unknown): string {
  return typeof share === 'number' ? share.toFixed(4) : '?';
}
