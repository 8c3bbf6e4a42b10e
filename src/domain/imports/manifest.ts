// The manifest of an export: its namespaces and files, with counts and checksums.

import { Fault } from '../faults.ts';
import type { MetadataSchema } from '../index-model.ts';
import { isJsonObject } from '../json.ts';
import { readMetadataSchema } from '../records/metadata-schema.ts';
import { namespaceToStored } from '../records/record-id.ts';
import { LayoutProblem, type ListedNamespace, type ManifestContent } from './import-layout.ts';
import type { RecordFormat } from './record-format.ts';

export const MANIFEST_KIND = 'pinyon-export';
export const MANIFEST_VERSION = 1;

export interface ManifestFile {
  /** Relative to the manifest's folder. */
  readonly path: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly records: number;
}

export interface ManifestNamespace {
  /** As shown to callers. */
  readonly name: string;
  readonly folder: string;
  readonly records: number;
  /** False where it exists only for its records. Absent in exports of 0.1.0: there it is where it has none. */
  readonly explicit?: boolean;
  /** Absent when the namespace has the schema of the index. */
  readonly schema?: MetadataSchema;
}

export interface Manifest {
  readonly kind: typeof MANIFEST_KIND;
  readonly version: number;
  /** Of the export. */
  readonly id: string;
  readonly createdAt: string;
  readonly format: RecordFormat;
  readonly index: {
    readonly name: string;
    readonly vectorType: string;
    readonly metric: string;
    readonly dimension: number | null;
    /** The kinds of the fields of a document index, by name. */
    readonly fields?: Readonly<Record<string, string>>;
  };
  /** Total of all files. */
  readonly records: number;
  readonly bytes: number;
  readonly namespaces: readonly ManifestNamespace[];
  readonly files: readonly ManifestFile[];
}

/** Reads the manifest; null when the file is not the manifest of an export. @throws LayoutProblem */
export function readManifest(text: string): ManifestContent | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isJsonObject(json) || json.kind !== MANIFEST_KIND) return null;
  const { version, namespaces, files } = json;
  if (typeof version !== 'number' || version > MANIFEST_VERSION) {
    throw new LayoutProblem('The manifest was written by a later release.');
  }
  if (!Array.isArray(namespaces) || !Array.isArray(files)) throw damaged();
  return {
    namespaces: namespaces.map(namespaceOf),
    files: new Map(files.map(fileOf)),
  };
}

function namespaceOf(json: unknown): ListedNamespace {
  if (!isJsonObject(json) || typeof json.folder !== 'string') throw damaged();
  const { folder, name, records, explicit = records === 0 } = json;
  try {
    const schema = readMetadataSchema(json.schema);
    return {
      folder,
      name: namespaceToStored(name),
      schema,
      isExplicit: schema !== null || explicit === true,
    };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new LayoutProblem(`The manifest is damaged at folder ${folder}: ${error.message}.`);
  }
}

function fileOf(json: unknown): readonly [string, number] {
  if (!isJsonObject(json) || typeof json.path !== 'string' || typeof json.bytes !== 'number') throw damaged();
  return [json.path, json.bytes];
}

function damaged(): LayoutProblem {
  return new LayoutProblem('The manifest is damaged.');
}
