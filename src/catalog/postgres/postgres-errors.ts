// What PostgreSQL's error codes mean to the person who starts the server.
import { DatabaseError } from 'pg';
import { outageOf } from '../../platform/postgres/outages.ts';
import { CatalogOpenError } from '../port.ts';

/** Errors that the program or an operator has to cure: waiting helps none of them. */
const REFUSED: Readonly<Record<string, string>> = {
  '28P01': 'it refuses the password. Correct PINYON_DATABASE_URL',
  '28000': 'it refuses the user. Correct PINYON_DATABASE_URL, or allow the user in pg_hba.conf',
  '3D000': 'it has no such database. Create it: createdb',
  '42501':
    'the user lacks the right to use it. Grant CREATE on the database, or create the schema `pinyon` for the user',
};

/** @param place of the database, without credentials. Turns an error of a start into advice for who starts the server. */
export function openingError(place: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CatalogOpenError) return error;
  const code = error instanceof DatabaseError ? (error.code ?? '') : '';
  const reason = REFUSED[code] ?? outageOf(error);
  if (reason === null) return error;
  const detail = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';
  return new CatalogOpenError('unusable', `the database ${place} cannot be used: ${reason}${detail}.`, error);
}
