// Downloads the files of an export into a folder, and verifies their sizes and checksums against the manifest.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { contentOf } from '../../domain/folder-content.ts';
import { MANIFEST_NAME } from '../../domain/imports/import-layout.ts';
import type { ApiClient } from '../client/api-client.ts';
import { CliProblem, type Io } from '../command.ts';
import { replaceWhole } from '../files/write-files.ts';
import { Progress } from '../terminal/progress.ts';

const ATTEMPTS_MAX = 3;
/** The names of export files; none leads out of the folder. */
const FILE_PATH = /^[A-Za-z0-9_=-][A-Za-z0-9._=-]*\/[A-Za-z0-9_=-][A-Za-z0-9._=-]*$/;

interface ListedFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

interface Manifest {
  readonly files: readonly ListedFile[];
}

export interface Download {
  readonly id: string;
  readonly folder: string;
}

/** Creates the folder if it is missing. @throws CliProblem if it is not empty */
export async function requireEmptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  if (contentOf(await readdir(folder)).length > 0) throw new CliProblem(`The folder ${folder} is not empty.`);
}

/**
 * Downloads into an empty folder. @throws CliProblem if a file arrives corrupt repeatedly, or if the disk takes two files
 * for one, as those of earlier exports can be on disks that do not tell upper from lower case
 */
export async function downloadExport(index: ApiClient, { id, folder }: Download, io: Io): Promise<void> {
  const base = `/bulk/exports/${id}/files`;
  const manifest = await index.call<Manifest>('GET', base);
  const files = listedFiles(manifest);
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const progress = new Progress(io, 'Download');
  let done = 0;
  for (const file of files) {
    await fetchFile(index, `${base}?path=${encodeURIComponent(file.path)}`, { file, folder });
    done += file.bytes;
    progress.show((100 * done) / Math.max(1, total), file.path);
  }
  progress.end();
  // Written last: a folder without a manifest is an incomplete export.
  await replaceWhole(join(folder, MANIFEST_NAME), `${JSON.stringify(manifest, null, 1)}\n`);
}

function listedFiles({ files }: Manifest): readonly ListedFile[] {
  const odd = files.find(({ path }) => !FILE_PATH.test(path));
  if (odd !== undefined)
    throw new CliProblem(`The manifest names ${odd.path}, which is not a file of an export.`);
  return files;
}

async function fetchFile(
  index: ApiClient,
  address: string,
  { file, folder }: { readonly file: ListedFile; readonly folder: string },
): Promise<void> {
  const target = join(folder, ...file.path.split('/'));
  await mkdir(dirname(target), { recursive: true });
  // The folder was empty, so only a file of the same export can be there.
  if (await isThere(target)) {
    throw new CliProblem(
      `The disk takes ${file.path} for another file of the export, whose name differs in upper and lower case; download it to a disk that tells them apart.`,
    );
  }
  for (let attempt = 1; ; attempt++) {
    const problem = await tryToFetch(index, address, { file, target });
    if (problem === null) return;
    if (attempt === ATTEMPTS_MAX)
      throw new CliProblem(`File ${file.path} could not be downloaded: ${problem}.`);
  }
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** What is wrong with the downloaded file; null if nothing is. */
async function tryToFetch(
  index: ApiClient,
  address: string,
  { file, target }: { readonly file: ListedFile; readonly target: string },
): Promise<string | null> {
  const hash = createHash('sha256');
  let bytes = 0;
  const unfinished = `${target}.part`;
  const content = await index.download(address);
  const counted = async function* () {
    for await (const piece of content) {
      hash.update(piece);
      bytes += piece.byteLength;
      yield piece;
    }
  };
  try {
    await pipeline(counted, createWriteStream(unfinished));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  if (bytes !== file.bytes) return `expected ${file.bytes} bytes, got ${bytes}`;
  if (hash.digest('hex') !== file.sha256) return 'its checksum differs from the manifest';
  await rename(unfinished, target);
  return null;
}
