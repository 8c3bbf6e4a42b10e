// The layout that imports read and exports write: a folder per namespace, files of records in each.
import { Fault } from '../faults.ts';
import type { MetadataSchema } from '../index-model.ts';
import { DEFAULT_NAMESPACE_SHOWN, namespaceToStored } from '../records/record-id.ts';
import { formatOf, type RecordFormat } from './record-format.ts';

/** Of an import, and with that of an export. */
export const NAMESPACES_MAX = 100_000;
export const MANIFEST_BYTES_MAX = 64 * 1024 * 1024;
/** File beside the folders of an export that describes its content. */
export const MANIFEST_NAME = 'manifest.json';
/** File beside them while the export runs; imports ignore it. */
export const CLAIM_NAME = 'claim.json';

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

/** The files cannot be imported in this layout. The message is for the import's owner. */
export class LayoutProblem extends Error {}

/** A namespace that a manifest lists, with or without files. */
export interface ListedNamespace {
  readonly folder: string;
  /** Stored name. */
  readonly name: string;
  readonly schema: MetadataSchema | null;
  /** False where it exists only for its records. */
  readonly isExplicit: boolean;
}

/** The part of an export's manifest that an import needs. */
export interface ManifestContent {
  readonly namespaces: readonly ListedNamespace[];
  /** Sizes in bytes by path. */
  readonly files: ReadonlyMap<string, number>;
}

/** Maps files to namespaces, in the given order. @throws LayoutProblem */
export function planFiles<File extends LayoutFile>(
  files: readonly File[],
  manifest: ManifestContent | null,
): readonly PlannedFile<File>[] {
  const names = new Map(manifest?.namespaces.map(({ folder, name }) => [folder, name]));
  const planned = files.flatMap((file) => planFile(file, names) ?? []);
  if (manifest !== null) checkComplete(files, manifest);
  else if (planned.length === 0) {
    throw new LayoutProblem(
      'There are no files NAMESPACE/*.parquet, NAMESPACE/*.jsonl or NAMESPACE/*.jsonl.gz.',
    );
  }
  return planned;
}

/** Returns the stored names of all namespaces that an import creates. @throws LayoutProblem */
export function plannedNamespaces(
  files: readonly { readonly namespace: string }[],
  manifest: ManifestContent | null,
): readonly string[] {
  const ofFiles = files.map(({ namespace }) => namespace);
  const listed = manifest?.namespaces.map(({ name }) => name) ?? [];
  const names = [...new Set([...ofFiles, ...listed])];
  checkNamespaceCount(names.length);
  return names;
}

/** @throws LayoutProblem for more than an import takes */
export function checkNamespaceCount(count: number): void {
  if (count > NAMESPACES_MAX)
    throw new LayoutProblem(`There are ${count} namespaces; one import takes ${NAMESPACES_MAX}.`);
}

/** @throws LayoutProblem for more than an import takes */
export function checkManifestSize(bytes: number): void {
  if (bytes > MANIFEST_BYTES_MAX)
    throw new LayoutProblem(`The manifest has ${bytes} bytes; an import takes ${MANIFEST_BYTES_MAX}.`);
}

function planFile<File extends LayoutFile>(
  file: File,
  names: ReadonlyMap<string, string>,
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
  // Marker files and checksums that other programs leave.
  if (/^[._]/.test(name)) return null;
  if (format === null) throw new LayoutProblem(`File ${path} is neither .parquet nor .jsonl nor .jsonl.gz.`);
  return { file, format, namespace: names.get(folder) ?? namespaceOf(folder) };
}

function namespaceOf(folder: string): string {
  try {
    return namespaceToStored(folder);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new LayoutProblem(`Folder ${folder} is no name for a namespace: ${error.message}.`);
  }
}

/** An export lists its files; without this check nobody would notice one that was lost. */
function checkComplete(files: readonly LayoutFile[], manifest: ManifestContent): void {
  const found = new Map(files.map(({ path, bytes }) => [path, bytes]));
  for (const [path, bytes] of manifest.files) {
    const actual = found.get(path);
    if (actual === undefined) throw new LayoutProblem(`File ${path} of the manifest is missing.`);
    if (actual !== bytes) {
      throw new LayoutProblem(`File ${path} has ${actual} bytes, and ${bytes} by the manifest.`);
    }
  }
}
