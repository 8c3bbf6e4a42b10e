// The claim of an export on its folder: only its holder writes there, and removes no files but its own.
import { BlobExists, type BlobPage, type Blobs, BlobsUnavailable } from '../../../blobs/port.ts';
import { CLAIM_NAME, MANIFEST_NAME } from '../../../domain/imports/import-layout.ts';
import { isJsonObject } from '../../../domain/json.ts';
import { JobFailure } from '../../../jobs/port.ts';
import type { ExportTarget } from './export-target.ts';

/** Below the folder, with a name as of `folderFor`; those of an export into a folder inside it lie deeper. */
const PART = /^[A-Za-z0-9._=-]+\/part-\d+\.(?:parquet|jsonl)$/;

/**
 * Claims the folder for the export, or finds that it has it already. Two exports never have the same one.
 * @param hasBegun whether an earlier run may have written files, which are removed; else the folder must be empty
 * @throws JobFailure when the folder has other files, or is another export's
 */
export async function claimFolder(target: ExportTarget, id: string, hasBegun: boolean): Promise<void> {
  const { blobs, base } = target;
  const holder = await claimed(target, id);
  if (holder !== id)
    throw new JobFailure(
      `The target folder of the export is not empty: ${CLAIM_NAME} claims it for another.`,
    );
  const isFree = hasBegun ? await isOwn(target, id) : (await blobs.list(base, null, 2)).items.length === 1;
  if (isFree) return hasBegun ? removeFiles(target) : undefined;
  await releaseFolder(target);
  throw new JobFailure('The target folder of the export is not empty.');
}

/** Ends the claim of a complete export: its manifest now tells whose the folder is. */
export async function releaseFolder({ blobs, base }: ExportTarget): Promise<void> {
  try {
    await blobs.delete(`${base}${CLAIM_NAME}`);
  } catch (error) {
    // A bucket may let the server write, and not delete. Nothing depends on it.
    if (!(error instanceof BlobsUnavailable)) throw error;
  }
}

/** Removes what the export has left, and nothing else; safe to repeat. @param hasBegun as of `claimFolder` */
export async function clearFolder(target: ExportTarget, id: string, hasBegun: boolean): Promise<void> {
  const { blobs, base } = target;
  if (hasBegun && (await isOwn(target, id))) await removeFiles(target);
  if ((await idIn(blobs, `${base}${CLAIM_NAME}`)) === id) await releaseFolder(target);
}

/** The id of the export that has the folder. */
async function claimed({ blobs, base }: ExportTarget, id: string): Promise<string | null> {
  const key = `${base}${CLAIM_NAME}`;
  const claim = Buffer.from(`${JSON.stringify({ kind: 'pinyon-export-claim', id })}\n`);
  try {
    await blobs.put(key, once(claim), { ifAbsent: true });
    return id;
  } catch (error) {
    if (error instanceof BlobExists) return idIn(blobs, key);
    throw error;
  }
}

/** Whether the files of an export that has begun are its own. */
async function isOwn({ blobs, base }: ExportTarget, id: string): Promise<boolean> {
  const claim = await idIn(blobs, `${base}${CLAIM_NAME}`);
  const manifest = await idIn(blobs, `${base}${MANIFEST_NAME}`);
  // The manifests of earlier releases have no id: an export that began under one and holds the claim wrote it.
  const isManifestOwn = manifest === null || manifest === id || (manifest === '' && claim === id);
  return (claim === null || claim === id) && isManifestOwn;
}

/** The manifest last: without it, nobody could tell whose the others are. */
async function removeFiles({ blobs, base }: ExportTarget): Promise<void> {
  let cursor: string | null = null;
  do {
    const page: BlobPage = await blobs.list(base, cursor);
    for (const { key } of page.items) if (PART.test(key.slice(base.length))) await blobs.delete(key);
    cursor = page.next;
  } while (cursor !== null);
  await blobs.delete(`${base}${MANIFEST_NAME}`);
}

/** The id in a file of JSON: null where there is no file, empty where the file has none. */
async function idIn(blobs: Blobs, key: string): Promise<string | null> {
  if ((await blobs.head(key)) === null) return null;
  const text = Buffer.concat(await Array.fromAsync(blobs.get(key))).toString();
  try {
    const json: unknown = JSON.parse(text);
    return isJsonObject(json) && typeof json.id === 'string' ? json.id : '';
  } catch {
    return '';
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
