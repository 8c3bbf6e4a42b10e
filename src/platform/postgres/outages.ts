// What PostgreSQL's error codes mean to callers: an outage, a full disk, or a bug.
import { DatabaseError } from 'pg';
import { diskFault } from '../../domain/faults/system-faults.ts';
import { fault } from '../../domain/faults.ts';

const DISK_FULL = '53100';
const READ_ONLY = '25006';
const OUT_OF_CONNECTIONS = '53300';
const RESTARTING = /^57P0/;
const OUT_OF_RESOURCES = /^53/;
const CONNECTION = /^08/;
/** A statement that took too long, a lock that did not come, a transaction that stood still. */
const TOO_SLOW = new Set(['57014', '55P03', '25P03', '25P04']);
/** Another transaction was in the way; this one was rolled back. */
const CONFLICT = new Set(['40001', '40P01']);
/** A transaction that has failed and was not rolled back, or that stood still until its connection was closed. */
const ENDED = new Set(['25P02', '25P03', '25P04']);

/** Codes of sockets and of name look-ups, which begin as `ECONNRESET` does, of TLS, and of certificates. */
const NETWORK_CODE = /^E(?!RR_)[A-Z_]+$|^ERR_(?:SOCKET|SSL|STREAM|TLS)_|CERT|^UNABLE_TO_/;
/** How the driver begins what it says of a connection: such errors have no code. */
const NETWORK_MESSAGE =
  /^(?:Connection terminated|Client (?:was closed|has encountered a connection error)|Cannot use a pool after|Received unexpected|SASL|The server does not support SSL|There was an error establishing an SSL)/;
/** Of the driver's own clocks. */
const TIMEOUT_MESSAGE = /^(?:timeout |Query read timeout)/;

/** True for errors after which the connection is of no use, and another one may be. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (!(error instanceof DatabaseError)) return isOfNetwork(error) || TIMEOUT_MESSAGE.test(error.message);
  const code = error.code ?? '';
  return CONNECTION.test(code) || RESTARTING.test(code) || ENDED.has(code);
}

function isOfNetwork(error: Error): boolean {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return NETWORK_CODE.test(code) || NETWORK_MESSAGE.test(error.message);
}

/**
 * Why the database does not work at present, as half a sentence; null for errors that are not of this kind: what fails
 * in this process before anything is sent fails again, however often it is tried.
 */
export function outageOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if (error instanceof DatabaseError) {
    const code = error.code ?? '';
    if (code === READ_ONLY) return 'it is read-only';
    if (code === OUT_OF_CONNECTIONS) return 'it has no free connection';
    if (TOO_SLOW.has(code)) return 'it takes too long to answer';
    if (CONFLICT.has(code)) return 'another change was in the way';
    if (RESTARTING.test(code)) return 'it is starting or stopping';
    if (CONNECTION.test(code)) return 'the connection was lost';
    return OUT_OF_RESOURCES.test(code) && code !== DISK_FULL ? 'it is out of resources' : null;
  }
  if (TIMEOUT_MESSAGE.test(error.message)) return 'it takes too long to answer';
  if (!isOfNetwork(error)) return null;
  return /timeout/i.test(error.message) ? 'it takes too long to answer' : 'it cannot be reached';
}

/** Turns an outage and a refused write into faults for callers; leaves all other errors unchanged. */
export function queryError(error: unknown): unknown {
  if (error instanceof DatabaseError && error.code === DISK_FULL) return diskFault('ENOSPC');
  const reason = outageOf(error);
  return reason === null ? error : Object.assign(fault('database-unavailable', { reason }), { cause: error });
}
