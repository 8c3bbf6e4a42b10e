// Removes the maps that indexes and namespaces have left, whoever has deleted or replaced them.
import { type Index, isReady, profileOf, storageIdOf } from '../../domain/index-model.ts';
import type { VectorReader } from '../../engine/port/reader-and-writer.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import type { MapContent } from '../../projection/map-file.ts';
import { type MapStore, namespaceHash, type StoredMap } from './map-store.ts';

const NAMESPACES_PAGE = 1_000;

export interface LeftMapsParts {
  readonly engine: Pick<VectorStore, 'reader'>;
  readonly maps: MapStore;
  readonly indexById: (id: string) => Index | undefined;
  /** Those whose namespaces this node knows. */
  readonly ownIndexes: () => readonly Index[];
  readonly onFailure: (error: unknown) => void;
}

/**
 * Removes what is left. The files are listed before the namespaces: one that has not changed since is of none that was
 * made later.
 * @param isEnded whether to stop
 */
export async function removeLeftMaps(parts: LeftMapsParts, isEnded: () => boolean): Promise<void> {
  for (const [indexId, stored] of await parts.maps.byIndex()) {
    if (isEnded()) return;
    if (parts.indexById(indexId) === undefined) await parts.maps.removeAll(indexId);
    else await removeLeftOf(parts, { indexId, stored, isEnded }).catch(parts.onFailure);
  }
}

interface MapsOfIndex {
  readonly indexId: string;
  readonly stored: readonly StoredMap[];
  readonly isEnded: () => boolean;
}

async function removeLeftOf(parts: LeftMapsParts, { indexId, stored, isEnded }: MapsOfIndex): Promise<void> {
  const index = readable(parts, indexId);
  if (index === undefined) return;
  const numbers = await namespaceNumbers(parts.engine.reader(profileOf(index)), isEnded);
  for (const map of stored) {
    if (isEnded()) return;
    const number = numbers.get(map.hash);
    const origin = number === undefined ? null : await parts.maps.origin(map);
    if (origin !== null && isOf(origin, index, number)) continue;
    // Where it has moved meanwhile, its namespaces are not those that were listed.
    const now = readable(parts, indexId);
    if (now === undefined || storageIdOf(now) !== storageIdOf(index)) return;
    await parts.maps.removeUnchanged(map);
  }
}

/** The index as it is now; undefined where its namespaces cannot be read here. */
function readable({ ownIndexes }: LeftMapsParts, indexId: string): Index | undefined {
  const index = ownIndexes().find(({ id }) => id === indexId);
  return index !== undefined && isReady(index.state) && profileOf(index).readable ? index : undefined;
}

async function namespaceNumbers(
  reader: VectorReader,
  isEnded: () => boolean,
): Promise<ReadonlyMap<string, number>> {
  const numbers = new Map<string, number>();
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof reader.listNamespaces>> = await reader.listNamespaces({
      ...{ prefix: '', limit: NAMESPACES_PAGE, after },
    });
    for (const { name, number } of page.items) numbers.set(namespaceHash(name), number);
    after = page.next;
  } while (after !== null && !isEnded());
  return numbers;
}

/** Whether a map shows a namespace as the index has it now, by its number. */
export function isOf(
  { storageId, namespace }: Pick<MapContent, 'storageId' | 'namespace'>,
  index: Index,
  number: number | undefined,
): boolean {
  return storageId === storageIdOf(index) && namespace === number;
}
