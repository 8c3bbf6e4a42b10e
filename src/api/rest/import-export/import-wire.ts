// The wire form of imports.
import { isAtLeast, type RequestedVersion } from '../../../domain/api-version.ts';
import {
  IMPORT_ERRORS_KEPT_MAX,
  IMPORT_ID_CHARS_MAX,
  type ImportDetails,
} from '../../../domain/imports/import-model.ts';
import { Type } from '../../schema/type.ts';
import { choice } from '../indexes/body-parts.ts';

export const ImportPath = Type.Object({
  id: Type.String({ maxLength: IMPORT_ID_CHARS_MAX, examples: ['101'] }),
});

export const ImportObject = Type.Object(
  {
    id: Type.String(),
    uri: Type.String(),
    status: choice(['Pending', 'InProgress', 'Completed', 'Failed', 'Cancelled']),
    createdAt: Type.String({ format: 'date-time' }),
    finishedAt: Type.Optional(Type.String({ format: 'date-time' })),
    percentComplete: Type.Number({ minimum: 0, maximum: 100 }),
    recordsImported: Type.Integer({
      description: 'Rows stored so far; at the end, the records that the index has from this import.',
    }),
    error: Type.Optional(Type.String({ description: 'Why it failed.' })),
    validationResult: Type.Optional(
      Type.Object(
        {
          importSuccesses: Type.Integer({ description: 'Rows that became records.' }),
          importErrors: Type.Integer({
            description: `Rejected rows or files; \`errors\` lists the first ${IMPORT_ERRORS_KEPT_MAX}, and all files.`,
          }),
          filesUnread: Type.Integer({
            description: 'Files among them, of which nothing or only the beginning could be read.',
          }),
        },
        { 'x-since': '2026-07' },
      ),
    ),
  },
  {
    title: 'Import',
    examples: [
      {
        id: '101',
        uri: 's3://my-bucket/films',
        status: 'Completed',
        createdAt: '2026-07-01T09:30:00.000Z',
        finishedAt: '2026-07-01T09:31:12.000Z',
        percentComplete: 100,
        recordsImported: 1200,
        validationResult: { importSuccesses: 1200, importErrors: 0, filesUnread: 0 },
      },
    ],
  },
);

export function importBody(
  details: ImportDetails,
  version: RequestedVersion,
): Readonly<Record<string, unknown>> {
  const { id, uri, state, createdAt, finishedAt, percent, recordsImported, error } = details;
  const { rowsAccepted: importSuccesses, rowsRefused: importErrors, filesUnread } = details;
  return {
    id,
    uri,
    status: state,
    createdAt,
    ...(finishedAt === null ? {} : { finishedAt }),
    percentComplete: percent,
    recordsImported,
    ...(error === null ? {} : { error }),
    ...(isAtLeast(version, '2026-07')
      ? { validationResult: { importSuccesses, importErrors, filesUnread } }
      : {}),
  };
}
