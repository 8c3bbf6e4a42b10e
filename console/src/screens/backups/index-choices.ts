// The indexes of the project as choices of a form.
import { call } from '../../api/call.ts';
import type { Index } from '../../api/types.ts';
import type { Choice } from '../../ui/field.tsx';
import { type Resource, useResource } from '../../ui/resource.ts';

export function useIndexChoices(isNeeded = true): Resource<readonly Choice[]> {
  return useResource(isNeeded ? 'indexes to back up' : '', async (signal) => {
    const { indexes } = await call<{ readonly indexes: readonly Index[] }>('GET', 'indexes', { signal });
    return indexes.map(({ name }) => ({ value: name, text: name }));
  });
}
