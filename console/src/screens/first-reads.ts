// What the pages of links read first: begun with the start of the console, beside the code of the page.
import { call } from '../api/call.ts';
import { may, project } from '../api/session.ts';
import type { Index } from '../api/types.ts';
import { route } from '../router.ts';
import { readEarly } from '../ui/early.ts';
import { pageKey, readPage, shownIn } from './index/record-pages.ts';

/** The index of a page. */
export const indexKey = (name: string) => `index ${name}`;

export function readIndex(name: string, signal?: AbortSignal): Promise<Index> {
  return call<Index>('GET', `indexes/${encodeURIComponent(name)}`, { ...(signal && { signal }) });
}

/** The indexes that can be searched; of a role that lists none, the one that the page names. */
export const indexesKey = (name: string) => {
  const { id } = project.value ?? {};
  if (mayList()) return `indexes ${id}`;
  return name === '' ? '' : `indexes ${id} ${name}`;
};

export const mayList = () => may('control_plane::indexes::list');

export async function readIndexes(name: string, signal?: AbortSignal): Promise<readonly Index[]> {
  if (!mayList()) return [await readIndex(name, signal)];
  const { indexes } = await call<{ readonly indexes: readonly Index[] }>('GET', 'indexes', {
    ...(signal && { signal }),
  });
  return indexes.filter(({ status }) => status.ready);
}

/** Call it once, where somebody is signed in. */
export function readFirst(): void {
  if (!may('data_plane::vectors::read')) return;
  const [screen, name] = route.value.path;
  const { values } = route.value;
  if (screen === 'search') {
    const { index = '' } = values;
    const key = indexesKey(index);
    if (key !== '') readEarly(key, () => readIndexes(index));
  }
  if (screen !== 'indexes' || name === undefined) return;
  readEarly(indexKey(name), () => readIndex(name));
  if ((values.tab ?? 'records') !== 'records') return;
  const shown = shownIn(values);
  readEarly(pageKey(name, shown, undefined), () => readPage(name, shown, undefined));
}
