// Chooses an index of the project in a form.
import { call } from '../../api/call.ts';
import type { Problem } from '../../api/problem.ts';
import type { Index } from '../../api/types.ts';
import type { Choice } from '../../ui/field.tsx';
import { useFollowing } from '../../ui/following.ts';
import { useResource } from '../../ui/resource.ts';

export interface IndexChoice {
  readonly choices: readonly Choice[];
  /** Empty until the indexes are read, and where there are none. */
  readonly chosen: string;
  readonly choose: (name: string) => void;
  readonly problem: Problem | undefined;
}

/** The first index is chosen until a person chooses, and stays so when the indexes are read again. */
export function useIndexChoice(isNeeded = true): IndexChoice {
  const indexes = useResource(isNeeded ? 'indexes to back up' : '', async (signal) => {
    const { indexes: all } = await call<{ readonly indexes: readonly Index[] }>('GET', 'indexes', { signal });
    return all.map(({ name }) => ({ value: name, text: name }));
  });
  const choices = indexes.value ?? [];
  const first = choices[0]?.value ?? '';
  const [chosen, choose] = useFollowing<string>(first, (before = '') => (before === '' ? first : before));
  return { choices, chosen, choose, problem: indexes.problem };
}
