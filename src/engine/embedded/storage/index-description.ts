// The description of an index in its own folder: enough to serve the index again when the catalog is lost.
//
// The file is text of two lines: the description as JSON, and the CRC-32 of the first line in hexadecimal.
import { readFileSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { FoundDescription, IndexDescription } from '../../../domain/index-description.ts';
import { parseOwnJson } from '../../../domain/json.ts';

export const DESCRIPTION = 'index.json';
/** Descriptions of a later format are left alone. */
const FORMAT = 1;

/** Field names on disk. */
interface StoredDescription extends IndexDescription {
  readonly format: number;
}

/** Reads the description in the folder of an index. Never throws for what lies there. */
export function readDescription(folder: string): FoundDescription {
  let text: string;
  try {
    text = readFileSync(join(folder, DESCRIPTION), 'utf8');
  } catch (error) {
    if (isMissing(error)) return { state: 'missing' };
    return { state: 'damaged', reason: error instanceof Error ? error.message : String(error) };
  }
  return decode(text);
}

/**
 * Keeps a description in the folder of an index: the old file or the new one, at any moment.
 * @returns false when the folder is missing, or has this description already
 */
export async function keepDescription(folder: string, description: IndexDescription): Promise<boolean> {
  const path = join(folder, DESCRIPTION);
  const content = encode(description);
  if ((await readFile(path, 'utf8').catch(() => null)) === content) return false;
  const part = `${path}.part`;
  try {
    await rm(part, { force: true });
    const file = await open(part, 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, path);
    await syncNames(folder);
    return true;
  } catch (error) {
    // Not there yet, or just removed with the index.
    if (isMissing(error)) return false;
    throw error;
  }
}

function encode({ index, projectName }: IndexDescription): string {
  const stored: StoredDescription = { format: FORMAT, index, projectName };
  const json = JSON.stringify(stored);
  return `${json}\n${sumOf(json)}\n`;
}

function decode(text: string): FoundDescription {
  const [json = '', sum] = text.split('\n');
  if (sum !== sumOf(json)) return { state: 'damaged', reason: 'it does not have its checksum' };
  const { format, index, projectName } = parseOwnJson<StoredDescription>(json);
  if (format > FORMAT) return { state: 'damaged', reason: `a later release wrote it, in format ${format}` };
  return { state: 'whole', description: { index, projectName } };
}

function sumOf(json: string): string {
  return crc32(json).toString(16).padStart(8, '0');
}

async function syncNames(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
