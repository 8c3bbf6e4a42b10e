// GET /backups: lists the backups of the key's project, in pages.
import type { ControlEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { answerPage, PAGE_QUERY, pageOf } from './backup-pages.ts';
import { BackupObject } from './backup-schemas.ts';
import { backupToWire } from './backup-wire.ts';

export const listBackups: ControlEndpoint = {
  id: 'list_project_backups',
  method: 'GET',
  path: '/backups',
  tag: 'Backups',
  summary: 'List backups of the project',
  description: 'Newest first.',
  since: '2025-04',
  permission: 'control_plane::backups::list',
  errors: 'standard',
  query: Type.Object(PAGE_QUERY),
  success: { status: 200, description: 'A page of backups.', schema: pageOf(BackupObject) },
  faults: ['invalid-argument'],
  handle: (call) =>
    answerPage(call, {
      boundTo: [listBackups.id],
      list: (page) => call.services.backups.list(call.access, page),
      toWire: (backup) => backupToWire(backup, call.version),
    }),
};
