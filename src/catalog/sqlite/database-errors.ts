// What SQLite's result codes mean to callers and to the person who starts the server.
import { fault } from '../../domain/faults.ts';
import { CatalogOpenError } from '../port.ts';
import type { Failure } from './messages.ts';

const BUSY = 5;
const READ_ONLY = 8;
const IO_ERROR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANNOT_OPEN = 14;
const NOT_A_DATABASE = 26;

export class SqliteError extends Error {
  /** SQLite's extended result code. */
  readonly sqliteCode: number;

  constructor({ code, message }: Failure) {
    super(message);
    this.name = 'SqliteError';
    this.sqliteCode = code;
  }
}

/** Turns a refused write into the fault callers are told about; all else stays an error of ours. */
export function queryError(failure: Failure): Error {
  const code = failure.code & 0xff;
  return code === FULL || code === IO_ERROR || code === READ_ONLY
    ? fault('storage-full', { reason: failure.message })
    : new SqliteError(failure);
}

export function openingError(path: string, failure: Failure): CatalogOpenError {
  const code = failure.code & 0xff;
  if (code === BUSY) {
    return new CatalogOpenError(
      'in-use',
      `${path} is in use by another process. A data directory serves one server at a time.`,
    );
  }
  if (code === CORRUPT || code === NOT_A_DATABASE) {
    return new CatalogOpenError(
      'damaged',
      `${path} is damaged or no catalog: ${failure.message}. Restore it from a copy of the data directory.`,
    );
  }
  const reason = code === CANNOT_OPEN ? 'its folder is missing or not writable' : failure.message;
  return new CatalogOpenError('unusable', `${path} cannot be opened: ${reason}.`);
}
