// Tags: the rules for keys and values, and how changes merge.
import { invalid } from './faults.ts';
import { TAG_KEY_CHARS_MAX, TAG_VALUE_CHARS_MAX, TAGS_MAX } from './limits.ts';

export type Tags = Readonly<Record<string, string>>;
/** `printable` allows all printable ASCII characters in values. */
export type TagAlphabet = 'standard' | 'printable';

const KEY = /^[A-Za-z0-9_-]+$/;
const VALUES = {
  standard: { pattern: /^[A-Za-z0-9;@_.+ -]*$/, characters: "alphanumeric characters, ';@_-.+' and spaces" },
  printable: { pattern: /^[\x20-\x7e]*$/, characters: 'printable ASCII characters' },
} as const;

/** @throws invalid-argument that names the key and the violated rule */
export function checkTags(tags: Tags, alphabet: TagAlphabet): void {
  for (const [key, value] of Object.entries(tags)) {
    if (key.length > TAG_KEY_CHARS_MAX) {
      throw invalid(`Tag keys must be at most ${TAG_KEY_CHARS_MAX} characters long, got ${key.length}.`);
    }
    if (!KEY.test(key)) {
      throw invalid(`Tag key '${key}' must consist of alphanumeric characters, '_' or '-'.`);
    }
    if (value.length > TAG_VALUE_CHARS_MAX) {
      throw invalid(
        `Value of tag '${key}' must be at most ${TAG_VALUE_CHARS_MAX} characters long, got ${value.length}.`,
      );
    }
    const { pattern, characters } = VALUES[alphabet];
    if (!pattern.test(value)) throw invalid(`Value of tag '${key}' must consist of ${characters}.`);
  }
}

/**
 * Returns the tags after a change: adds new keys, replaces known ones, removes those set to ''.
 * @throws invalid-argument when more than TAGS_MAX remain
 */
export function mergeTags(current: Tags, change: Tags): Tags {
  const merged = Object.entries({ ...current, ...change }).filter(([, value]) => value !== '');
  if (merged.length > TAGS_MAX) {
    throw invalid(`At most ${TAGS_MAX} tags are allowed per index, got ${merged.length}.`);
  }
  return Object.fromEntries(merged);
}
