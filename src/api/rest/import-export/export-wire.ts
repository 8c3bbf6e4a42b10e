// The wire form of exports.
import type { ExportDetails } from '../../../domain/imports/export-model.ts';
import { RECORD_FORMATS } from '../../../domain/imports/record-format.ts';
import { namespaceToShown } from '../../../domain/records/record-id.ts';
import { Type } from '../../schema/type.ts';
import { choice } from '../indexes/body-parts.ts';

export const ExportPath = Type.Object({ id: Type.String({ examples: ['7f1c9d0e'] }) });

export const FormatName = choice(RECORD_FORMATS);

export const ExportObject = Type.Object(
  {
    id: Type.String(),
    uri: Type.Union([Type.String(), Type.Null()], {
      description: "Null for an export to the server's own storage, which can be downloaded.",
    }),
    namespace: Type.Union([Type.String(), Type.Null()], { description: 'Null for all namespaces.' }),
    format: FormatName,
    status: choice(['Pending', 'InProgress', 'Completed', 'Failed', 'Cancelled']),
    createdAt: Type.String({ format: 'date-time' }),
    finishedAt: Type.Optional(Type.String({ format: 'date-time' })),
    percentComplete: Type.Number({ minimum: 0, maximum: 100 }),
    recordsExported: Type.Integer(),
    bytesWritten: Type.Integer({ description: 'Bytes of completed files.' }),
    error: Type.Optional(Type.String({ description: 'Why it failed.' })),
  },
  {
    title: 'Export',
    examples: [
      {
        id: '7f1c9d0e',
        uri: null,
        namespace: null,
        format: 'parquet',
        status: 'Completed',
        createdAt: '2026-07-01T09:30:00.000Z',
        finishedAt: '2026-07-01T09:30:04.000Z',
        percentComplete: 100,
        recordsExported: 1203,
        bytesWritten: 48120,
      },
    ],
  },
);

export function exportBody(details: ExportDetails): Readonly<Record<string, unknown>> {
  const { id, uri, namespace, format, state, createdAt, finishedAt, percent, error } = details;
  return {
    id,
    uri,
    namespace: namespace === null ? null : namespaceToShown(namespace),
    format,
    status: state,
    createdAt,
    ...(finishedAt === null ? {} : { finishedAt }),
    percentComplete: percent,
    recordsExported: details.recordsExported,
    bytesWritten: details.bytesWritten,
    ...(error === null ? {} : { error }),
  };
}
