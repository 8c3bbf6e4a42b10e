// All endpoints of imports and exports.
import type { BulkEndpoint } from './bulk-endpoint.ts';
import { cancelImport } from './cancel-import.ts';
import { deleteExport } from './delete-export.ts';
import { describeExport } from './describe-export.ts';
import { describeImport } from './describe-import.ts';
import { downloadExport } from './download-export.ts';
import { listExports } from './list-exports.ts';
import { listImportErrors } from './list-import-errors.ts';
import { listImports } from './list-imports.ts';
import { startExport } from './start-export.ts';
import { startImport } from './start-import.ts';
import { uploadImport } from './upload-import.ts';

export const bulkEndpoints: readonly BulkEndpoint[] = [
  startImport,
  uploadImport,
  listImports,
  describeImport,
  cancelImport,
  listImportErrors,
  startExport,
  listExports,
  describeExport,
  deleteExport,
  downloadExport,
];
