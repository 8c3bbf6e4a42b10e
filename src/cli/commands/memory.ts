// pinyon memory: chooses what of an index is in memory, and shows how much that is.
import { type JsonObject, membersOf } from '../../domain/json.ts';
import { indexSetting } from './index-setting.ts';

const MEBIBYTE = 2 ** 20;

export const memorySetting = indexSetting({
  segment: 'memory',
  bodyOf: (words) => ({ profile: words.text('to') ?? null }),
  textOf,
  endText: "The index has the server's default.",
});

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
