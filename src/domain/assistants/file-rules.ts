// The rules for uploaded files: name, id, metadata, and how large files of a type may be.
import { invalid } from '../faults.ts';
import { checkMetadata } from '../records/metadata.ts';
import type { Metadata } from '../records/record.ts';
import { checkMetadataBytes } from './assistant-rules.ts';
import {
  FILE_ID_CHARS_MAX,
  FILE_NAME_CHARS_MAX,
  MULTIMODAL_FILE_BYTES_MAX,
  PDF_FILE_BYTES_MAX,
  TEXT_FILE_BYTES_MAX,
} from './limits.ts';

const FILE_ID = /^[A-Za-z0-9_-]+$/;
const FOLDERS = /^.*[/\\]/s;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Returns the bare file name, without folders and control characters. @throws invalid-argument */
export function readFileName(sent: string): string {
  const name = sent.toWellFormed().replace(FOLDERS, '').replace(UNPRINTABLE, '').trim();
  if (name === '' || name === '.' || name === '..') throw invalid('The file needs a name.');
  if (name.length > FILE_NAME_CHARS_MAX) {
    throw invalid(`File names must be at most ${FILE_NAME_CHARS_MAX} characters long, got ${name.length}.`);
  }
  return name;
}

/** @throws invalid-argument */
export function checkFileId(id: string): void {
  if (id.length <= FILE_ID_CHARS_MAX && FILE_ID.test(id)) return;
  throw invalid(`File ids must be 1 to ${FILE_ID_CHARS_MAX} letters, digits, '-' or '_'.`);
}

/** @throws invalid-argument, bad-metadata-value */
export function readFileMetadata(json: unknown): Metadata | null {
  if (json === null || json === undefined) return null;
  const metadata = checkMetadata(json);
  checkMetadataBytes(metadata);
  return metadata;
}

/** Returns the maximum size of a file. */
export function fileBytesMax(type: string, multimodal: boolean): number {
  if (multimodal) return MULTIMODAL_FILE_BYTES_MAX;
  return type === 'pdf' ? PDF_FILE_BYTES_MAX : TEXT_FILE_BYTES_MAX;
}
