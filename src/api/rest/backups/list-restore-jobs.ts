// GET /restore-jobs: lists the restore jobs of the key's project, in pages.
import type { ControlEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { answerPage, PAGE_QUERY, pageOf } from './backup-pages.ts';
import { RestoreJobObject } from './backup-schemas.ts';
import { restoreJobToWire } from './backup-wire.ts';

export const listRestoreJobs: ControlEndpoint = {
  id: 'list_restore_jobs',
  method: 'GET',
  path: '/restore-jobs',
  tag: 'Restore jobs',
  summary: 'List restore jobs',
  description: 'Newest first.',
  since: '2025-04',
  permission: 'control_plane::restore_jobs::list',
  errors: 'standard',
  query: Type.Object(PAGE_QUERY),
  success: { status: 200, description: 'A page of restore jobs.', schema: pageOf(RestoreJobObject) },
  faults: ['invalid-argument'],
  handle: (call) =>
    answerPage(call, {
      boundTo: [listRestoreJobs.id],
      list: (page) => call.services.backups.listRestores(call.access, page),
      toWire: restoreJobToWire,
    }),
};
