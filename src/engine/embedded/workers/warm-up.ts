// Makes searches ready at the start: opens the indexes that were in memory before, so that they load again, and lets
// every reader thread search the one that was saved last, which loads it and compiles what searches run.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { NamespaceSummary } from '../../port/reader-and-writer.ts';
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
  /** Of its file. */
  readonly bytes: number;
}

/** Resolves once the index that was saved last is in memory; the others follow. Never rejects. */
export function warmUp(profiles: readonly IndexProfile[], options: WarmUpOptions): Promise<void> {
  // What is wrong with an index is told to whoever asks for it.
  return prepare(profiles, options).catch(() => undefined);
}

async function prepare(profiles: readonly IndexProfile[], options: WarmUpOptions): Promise<void> {
  const saved = profiles.flatMap((profile) => savedIn(options.dataDir, profile) ?? []);
  const [first, ...others] = saved.toSorted((a, b) => b.writtenMs - a.writtenMs).slice(0, INDEXES_MAX);
  if (first === undefined) return;
  await searchEverywhere(first, options).catch(() => undefined);
  void openAll(others, options).catch(() => undefined);
}

function savedIn(dataDir: string, profile: IndexProfile): Saved | null {
  const folder = SegmentFiles.folderIn(indexFolder(dataDir, profile.id));
  if (!existsSync(folder)) return null;
  const files = readdirSync(folder).flatMap((name) => {
    const namespaceId = SegmentFiles.namespaceOf(name);
    if (namespaceId === null) return [];
    const { mtimeMs, size } = statSync(join(folder, name));
    return { profile, namespaceId, writtenMs: mtimeMs, bytes: size };
  });
  return files.toSorted((a, b) => b.writtenMs - a.writtenMs)[0] ?? null;
}

async function searchEverywhere(saved: Saved, { readers, bytesMax }: WarmUpOptions): Promise<void> {
  const { namespaceId, bytes } = saved;
  const profile = packProfile(saved.profile);
  const { dimension } = saved.profile;
  const [reader] = readers;
  // Where it may not fit, a search would read all records.
  if (dimension === null || reader === undefined || bytes * 2 > (bytesMax ?? Number.POSITIVE_INFINITY))
    return;
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

async function openAll(all: readonly Saved[], { writerOf }: WarmUpOptions): Promise<void> {
  for (const { profile } of all) await writerOf(profile.id).call('size', profile);
}
