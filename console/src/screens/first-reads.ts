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

/** The indexes that can be searched. */
export const indexesKey = () => `indexes ${project.value?.id}`;

export async function readIndexes(signal?: AbortSignal): Promise<readonly Index[]> {
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
  if (screen === 'search') readEarly(indexesKey(), readIndexes);
  if (screen !== 'indexes' || name === undefined) return;
  readEarly(indexKey(name), () => readIndex(name));
  if ((values.tab ?? 'records') !== 'records') return;
  const shown = shownIn(values);
  readEarly(pageKey(name, shown, undefined), () => readPage(name, shown, undefined));
}
