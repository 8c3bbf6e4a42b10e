// pinyon memory: chooses what of an index is in memory, and shows how much that is.
import { type JsonObject, membersOf } from '../../domain/json.ts';
import { ApiClient } from '../client/api-client.ts';
import { EXIT_DONE, type Io, type ParsedWords } from '../command.ts';
import { print } from '../terminal/print.ts';

const MEBIBYTE = 2 ** 20;

function pathOf(words: ParsedWords): string {
  const [index = ''] = words.positionals;
  return `/indexes/${encodeURIComponent(index)}/memory`;
}

export async function setMemory(words: ParsedWords, io: Io): Promise<number> {
  const body = { profile: words.text('to') };
  const json = await (await ApiClient.of(words, io)).call('PUT', pathOf(words), { body });
  print(words, io, { json, text: textOf(json) });
  return EXIT_DONE;
}

export async function describeMemory(words: ParsedWords, io: Io): Promise<number> {
  const json = await (await ApiClient.of(words, io)).call('GET', pathOf(words));
  print(words, io, { json, text: textOf(json) });
  return EXIT_DONE;
}

export async function endMemory(words: ParsedWords, io: Io): Promise<number> {
  const json = await (await ApiClient.of(words, io)).call('DELETE', pathOf(words));
  print(words, io, { json, text: "The index has the server's default." });
  return EXIT_DONE;
}

function textOf({ profile, in_force: inForce, bytes }: JsonObject): string {
  const { memory, disk } = membersOf(bytes);
  const whose = profile === null ? "the server's default" : 'its own setting';
  const now =
    typeof memory === 'number' && typeof disk === 'number'
      ? `It uses ${inMebibytes(memory)} of memory, and ${inMebibytes(disk)} on disk that need not be there.`
      : 'Nothing of it is in memory.';
  return `The memory profile of the index is ${String(inForce)}, by ${whose}. ${now}`;
}

function inMebibytes(bytes: number): string {
  return `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
}
