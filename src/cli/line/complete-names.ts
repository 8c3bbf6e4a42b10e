// Names that completion offers: indexes and assistants of the server, and profiles.

import { ApiClient } from '../client/api-client.ts';
import type { Io, ParsedWords } from '../command.ts';
import { readProfiles } from '../profiles/profile-store.ts';

/** A shell that waits longer for its Tab key is a nuisance. */
const ANSWER_MS_MAX = 1_500;
/** Shared options that decide whom to ask. */
const ADDRESSING = ['url', 'api-key', 'profile', 'ca'];

export const SHELLS: readonly string[] = ['bash', 'zsh', 'fish'];

const LISTS: Readonly<Record<string, { readonly path: string; readonly field: string }>> = {
  INDEX: { path: '/indexes', field: 'indexes' },
  ASSISTANT: { path: '/assistant/assistants', field: 'assistants' },
};

/** Those of what a placeholder stands for; none where it has no names, or nobody answers. */
export async function namesOf(
  placeholder: string,
  before: readonly string[],
  io: Io,
): Promise<readonly string[]> {
  const quiet: Io = { ...io, err: () => undefined, signal: AbortSignal.timeout(ANSWER_MS_MAX) };
  try {
    if (placeholder === 'PROFILE') return [...(await readProfiles(quiet)).byName.keys()];
    if (placeholder === 'SHELL') return SHELLS;
    const list = LISTS[placeholder];
    if (list === undefined) return [];
    const client = await ApiClient.of(addressIn(before), quiet);
    const items = (await client.call('GET', list.path))[list.field];
    return Array.isArray(items) ? items.map(({ name }) => String(name)) : [];
  } catch {
    return [];
  }
}

function addressIn(before: readonly string[]): ParsedWords {
  const given = new Map<string, string>();
  for (const name of ADDRESSING) {
    const value = before[before.indexOf(`--${name}`) + 1];
    if (before.includes(`--${name}`) && value !== undefined) given.set(name, value);
  }
  return { positionals: [], text: (name) => given.get(name), texts: () => [], flag: () => false };
}
