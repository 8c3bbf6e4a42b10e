// What SQLite's result codes mean to callers and to the person who starts the server.
import { diskFault } from '../../domain/faults/system-faults.ts';
import { Fault, fault } from '../../domain/faults.ts';
import { ChannelEnded, type ErrorCodec } from '../../platform/worker-channel/errors.ts';
import { CatalogOpenError } from '../port.ts';
import { LOG_MISSING, logEndPath } from './log-end.ts';
import { sumsPath } from './page-sums.ts';

const BUSY = 5;
const READ_ONLY = 8;
const IO_ERROR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANNOT_OPEN = 14;
const NOT_A_DATABASE = 26;
/** The system's codes for what SQLite reports of a disk. */
const DISK_CODES = new Map([
  [FULL, 'ENOSPC'],
  [IO_ERROR, 'EIO'],
  [READ_ONLY, 'EROFS'],
]);

export class SqliteError extends Error {
  /** SQLite's extended result code; its low byte is the primary one. 0 when SQLite is not the cause. */
  readonly sqliteCode: number;

  constructor({ code, message }: Failure) {
    super(message);
    this.name = 'SqliteError';
    this.sqliteCode = code;
  }
}

/** A SqliteError as plain data. */
interface Failure {
  readonly code: number;
  readonly message: string;
}

/** All errors of the database thread arrive as a SqliteError. */
export const SQLITE_CODEC: ErrorCodec<Failure> = {
  encode: (error) => {
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
    return { code, message: error instanceof Error ? error.message : String(error) };
  },
  decode: (failure) => new SqliteError(failure),
};

/** Turns a refused write, and the end of the thread, into faults for callers; leaves all other errors unchanged. */
export function queryError(error: unknown): unknown {
  if (error instanceof ChannelEnded) return fault('interrupted');
  if (!(error instanceof SqliteError)) return error;
  const code = DISK_CODES.get(error.sqliteCode & 0xff);
  return code === undefined ? error : diskFault(code);
}

/** Turns an error of SQLite into advice for the person who starts the server. */
export function openingError(path: string, error: unknown): unknown {
  if (!(error instanceof SqliteError)) return error;
  const { message } = error;
  const code = error.sqliteCode & 0xff;
  if (code === BUSY) {
    return new CatalogOpenError(
      'in-use',
      `${path} is in use by another process. A data directory serves one server at a time.`,
    );
  }
  if (code === CORRUPT || code === NOT_A_DATABASE) {
    // Of another state than the files beside it say: perhaps on purpose.
    const ofLog = message.startsWith(LOG_MISSING)
      ? `${sumsPath(path)} and ${logEndPath(path)}`
      : logEndPath(path);
    const beside = message.includes('checksum') ? sumsPath(path) : ofLog;
    const isOfOtherState = message.includes('checksum') || message.startsWith('its log');
    const advice = isOfOtherState ? ` To use the file as it is, remove ${beside} first.` : '';
    return new CatalogOpenError(
      'damaged',
      `${path} is damaged or no catalog: ${message}. Restore it from a copy of the data directory.${advice}`,
    );
  }
  const reason = code === CANNOT_OPEN ? 'its folder is missing or not writable' : message;
  return new CatalogOpenError('unusable', `${path} cannot be opened: ${reason}.`, error);
}

/** Whether a catalog could not be opened because of its disk, rather than of what is in it. */
export function isOfDisk(error: unknown): boolean {
  if (!(error instanceof CatalogOpenError)) return false;
  const { cause } = error;
  // Of a migration, which has seen the error as callers do.
  return cause instanceof SqliteError ? DISK_CODES.has(cause.sqliteCode & 0xff) : cause instanceof Fault;
}
