// The number of an index's last commit, outside the folder of the index: an older copy of the whole folder is told by it.
//
// It is written with the checksums of the records, some seconds after a commit, so it is never of a commit that the
// records could still lose.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { isThere } from '../is-there.ts';
import { FileDamage } from './damage.ts';

const INDEXES = 'indexes';
const COMMITS = 'commits';
const BYTES = 12;
const SUM_AT = 8;

/** @throws FileDamage when commits were made after the last one of these records */
export function assertNotOlder(folder: string, path: string, txnId: number): void {
  const problem = olderProblem(folder, txnId);
  if (problem !== null) throw new FileDamage(path, problem);
}

/** A commit that was made; null when nothing says so. Where others commit, call it before the records are read. */
export function lastCommit(folder: string): number | null {
  const file = fileOf(folder);
  return file === null ? null : read(file);
}

/** @returns why the folder is an older copy; null when it is not, or nothing says so */
export function olderProblem(folder: string, txnId: number, last = lastCommit(folder)): string | null {
  const file = fileOf(folder);
  if (file === null || last === null || txnId >= last) return null;
  return `its last commit is ${txnId}, although commit ${last} was made: its folder is an older copy. To use it as it is, remove ${file}`;
}

export function keepLastCommit(folder: string, txnId: number): void {
  const file = fileOf(folder);
  if (file === null) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const content = Buffer.alloc(BYTES);
  content.writeDoubleLE(txnId);
  content.writeUInt32LE(crc32(content.subarray(0, SUM_AT)), SUM_AT);
  // Not synced: what a power loss leaves of it is an earlier number, or no number.
  writeFileSync(`${file}.part`, content, { mode: 0o600 });
  renameSync(`${file}.part`, file);
}

/** For an index that is removed, or gets other files. */
export function forgetLastCommit(folder: string): void {
  const file = fileOf(folder);
  if (file !== null) rmSync(file, { force: true });
}

/** Null for a folder that is not below `indexes`: its index is still being made. */
function fileOf(folder: string): string | null {
  const parent = dirname(folder);
  return basename(parent) === INDEXES ? join(dirname(parent), COMMITS, basename(folder)) : null;
}

/** Null when it is missing or damaged. */
function read(file: string): number | null {
  if (!isThere(file)) return null;
  const content = readFileSync(file);
  const isWhole =
    content.length === BYTES && content.readUInt32LE(SUM_AT) === crc32(content.subarray(0, SUM_AT));
  return isWhole ? content.readDoubleLE() : null;
}
