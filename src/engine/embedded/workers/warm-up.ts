// Makes searches ready at the start: opens the indexes that were in memory before, so that they load again, and lets
// every reader thread search the one that was saved last, which loads it and compiles what searches run.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { NamespaceSummary } from '../../port/reader-and-writer.ts';
import { bytesToRestore } from '../indexing/bytes-to-restore.ts';
import { SegmentFiles } from '../indexing/segment-files.ts';
import { indexFolder } from '../storage/index-files.ts';
import { packProfile } from './packed-task.ts';
import type { ThreadSlot } from './thread-slot.ts';

/** Indexes opened ahead of their first request, those saved last first: each takes open files and a little memory. */
const INDEXES_MAX = 32;
/** Namespaces looked through for the one to search. */
const NAMESPACES_MAX = 1_000;

export interface WarmUpOptions {
  readonly dataDir: string;
  readonly readers: readonly ThreadSlot[];
  readonly writerOf: (indexId: string) => ThreadSlot;
  /** Of the memory for all indexes. Default: unbounded. */
  readonly bytesMax?: number | undefined;
}

interface Saved {
  readonly profile: IndexProfile;
  /** The namespace whose file was written last. */
  readonly namespaceId: number;
  readonly writtenMs: number;
  /** Paths of its files, one for each segment. */
  readonly files: readonly string[];
}

/** Resolves once the index that was saved last is in memory; the others follow. Never rejects. */
export function warmUp(profiles: readonly IndexProfile[], options: WarmUpOptions): Promise<void> {
  // What is wrong with an index is told to whoever asks for it.
  return prepare(profiles, options).catch(() => undefined);
}

async function prepare(profiles: readonly IndexProfile[], options: WarmUpOptions): Promise<void> {
  const saved = profiles.flatMap((profile) => savedIn(options.dataDir, profile) ?? []);
  const lastFirst = saved.toSorted((a, b) => b.writtenMs - a.writtenMs).slice(0, INDEXES_MAX);
  const [last] = lastFirst;
  if (last !== undefined) await searchEverywhere(last, options).catch(() => undefined);
  void openAll(lastFirst, options);
}

function savedIn(dataDir: string, profile: IndexProfile): Saved | null {
  const folder = SegmentFiles.folderIn(indexFolder(dataDir, profile.id));
  if (!existsSync(folder)) return null;
  const files = readdirSync(folder).flatMap((name) => {
    const namespaceId = SegmentFiles.namespaceOf(name);
    if (namespaceId === null) return [];
    const path = join(folder, name);
    return { path, namespaceId, writtenMs: statSync(path).mtimeMs };
  });
  const [newest] = files.toSorted((a, b) => b.writtenMs - a.writtenMs);
  if (newest === undefined) return null;
  const { namespaceId, writtenMs } = newest;
  const ofNamespace = files.filter((file) => file.namespaceId === namespaceId);
  return { profile, namespaceId, writtenMs, files: ofNamespace.map(({ path }) => path) };
}

/** Where it may not fit in memory, a search would read all records: it is left to load when it is opened. */
function isSmall({ files }: Saved, { bytesMax = Number.POSITIVE_INFINITY }: WarmUpOptions): boolean {
  const bytes = files.reduce((sum, path) => sum + bytesToRestore(path), 0);
  return bytes * 2 <= bytesMax;
}

async function searchEverywhere(saved: Saved, options: WarmUpOptions): Promise<void> {
  const { readers } = options;
  const { namespaceId } = saved;
  const profile = packProfile(saved.profile);
  const { dimension } = saved.profile;
  const [reader] = readers;
  if (dimension === null || reader === undefined || !isSmall(saved, options)) return;
  const page = { prefix: '', limit: NAMESPACES_MAX, after: null };
  const { items } = (await reader.call('read', {
    profile,
    call: { method: 'listNamespaces', args: [page] },
  })) as { readonly items: readonly NamespaceSummary[] };
  const space = items.find(({ number }) => number === namespaceId);
  if (space === undefined) return;
  const request = {
    ...{ namespace: space.name, topK: 10, values: new Float32Array(dimension).fill(1), sparse: null },
    ...{ filter: null, includeValues: false, includeMetadata: false },
  };
  await Promise.all(
    readers.map((each) => each.call('read', { profile, call: { method: 'query', args: [request] } })),
  );
}

/** Opens all that are not open yet, one after the other, whatever becomes of those before. Never rejects. */
async function openAll(all: readonly Saved[], { writerOf }: WarmUpOptions): Promise<void> {
  for (const { profile } of all)
    await writerOf(profile.id)
      .call('size', profile)
      .catch(() => undefined);
}
