// The destination of an export: the server's own storage, a folder on this machine, or a bucket.
import type { Blobs } from '../../../blobs/port.ts';
import type { OpenExportLocation, SourceRules } from '../../../storage-locations/port.ts';

export interface ExportTarget {
  readonly blobs: Blobs;
  /** Prefix of every path; empty, or with a trailing slash. */
  readonly base: string;
  close(): Promise<void>;
}

export interface TargetParts {
  /** The server's own storage. */
  readonly blobs: Blobs;
  /** Where exports may write. */
  readonly rules: SourceRules;
  readonly openLocation: OpenExportLocation;
}

/** Exports without an address are stored here, under their ids. */
export const OWN_EXPORTS_PREFIX = 'exports/';

export function ownBase(exportId: string): string {
  return `${OWN_EXPORTS_PREFIX}${exportId}/`;
}

/** Removes every file with the prefix; safe to repeat. */
export async function removeAll(blobs: Blobs, base: string): Promise<void> {
  for (;;) {
    const { items } = await blobs.list(base, null);
    if (items.length === 0) return;
    for (const { key } of items) await blobs.delete(key);
  }
}

/** @throws SourceProblem when the server may not write there */
export async function openTarget(
  { blobs, rules, openLocation }: TargetParts,
  { id, uri }: { readonly id: string; readonly uri: string | null },
): Promise<ExportTarget> {
  if (uri === null) return { blobs, base: ownBase(id), close: async () => {} };
  const opened = await openLocation(uri, rules);
  return { blobs: opened, base: '', close: () => opened.close() };
}
