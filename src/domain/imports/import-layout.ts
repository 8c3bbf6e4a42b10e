// The layout that imports read and exports write: a folder per namespace, files of records in each.
import { Fault } from '../faults.ts';
import { DEFAULT_NAMESPACE_SHOWN, namespaceToStored } from '../records/record-id.ts';
import { formatOf, type RecordFormat } from './record-format.ts';

export const NAMESPACES_MAX = 10_000;
/** Beside the folders of an export; says what it holds. */
export const MANIFEST_NAME = 'manifest.json';

export interface LayoutFile {
  readonly path: string;
  readonly bytes: number;
}

export interface PlannedFile<File extends LayoutFile> {
  readonly file: File;
  readonly format: RecordFormat;
  /** Stored name. */
  readonly namespace: string;
}

/** The files cannot be imported as they lie. The message is for the import's owner. */
export class LayoutProblem extends Error {}

/** What of an export's manifest an import needs. */
export interface ManifestFacts {
  /** Namespaces by their folders, where the two have different names. */
  readonly folders: ReadonlyMap<string, string>;
  /** Bytes by path. */
  readonly files: ReadonlyMap<string, number>;
}

/** Which files to read into which namespaces, in the order given. @throws LayoutProblem */
export function planFiles<File extends LayoutFile>(
  files: readonly File[],
  manifest: ManifestFacts | null,
): readonly PlannedFile<File>[] {
  const planned = files.flatMap((file) => planFile(file, manifest) ?? []);
  if (planned.length === 0) {
    throw new LayoutProblem('There are no files NAMESPACE/*.parquet or NAMESPACE/*.jsonl.');
  }
  const namespaces = new Set(planned.map(({ namespace }) => namespace)).size;
  if (namespaces > NAMESPACES_MAX) {
    throw new LayoutProblem(`There are ${namespaces} namespaces; one import takes ${NAMESPACES_MAX}.`);
  }
  if (manifest !== null) checkComplete(files, manifest);
  return planned;
}

function planFile<File extends LayoutFile>(
  file: File,
  manifest: ManifestFacts | null,
): PlannedFile<File> | null {
  const { path } = file;
  const [folder = '', name = '', ...deeper] = path.split('/');
  const format = formatOf(path);
  if (name === '' || deeper.length > 0) {
    if (format === null) return null;
    throw new LayoutProblem(
      `File ${path} does not lie in the folder of a namespace. Files of the default namespace lie in ${DEFAULT_NAMESPACE_SHOWN}/.`,
    );
  }
  // Marks and checksums that other programs leave.
  if (/^[._]/.test(name)) return null;
  if (format === null) throw new LayoutProblem(`File ${path} is neither .parquet nor .jsonl.`);
  return { file, format, namespace: namespaceOf(folder, manifest) };
}

function namespaceOf(folder: string, manifest: ManifestFacts | null): string {
  try {
    return namespaceToStored(manifest?.folders.get(folder) ?? folder);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new LayoutProblem(`Folder ${folder} is no name for a namespace: ${error.message}.`);
  }
}

/** An export says which files it has: one that was lost on the way would be missed by nobody. */
function checkComplete(files: readonly LayoutFile[], manifest: ManifestFacts): void {
  const found = new Map(files.map(({ path, bytes }) => [path, bytes]));
  for (const [path, bytes] of manifest.files) {
    const actual = found.get(path);
    if (actual === undefined) throw new LayoutProblem(`File ${path} of the manifest is missing.`);
    if (actual !== bytes) {
      throw new LayoutProblem(`File ${path} has ${actual} bytes, and ${bytes} by the manifest.`);
    }
  }
}
