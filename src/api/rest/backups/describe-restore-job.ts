// GET /restore-jobs/{job_id}: describes a restore job.
import type { ControlEndpoint } from '../../endpoint.ts';
import { RestoreJobObject, RestoreJobParams } from './backup-schemas.ts';
import { restoreJobToWire } from './backup-wire.ts';

export const describeRestoreJob: ControlEndpoint = {
  id: 'describe_restore_job',
  method: 'GET',
  path: '/restore-jobs/{job_id}',
  tag: 'Restore jobs',
  summary: 'Describe a restore job',
  since: '2025-04',
  permission: 'control_plane::restore_jobs::describe',
  errors: 'standard',
  params: RestoreJobParams,
  success: { status: 200, description: 'The restore job.', schema: RestoreJobObject },
  faults: ['restore-job-not-found'],
  handle: async ({ access, params, services }) => {
    const job = await services.backups.describeRestore(access, params.job_id ?? '');
    return { status: 200, body: restoreJobToWire(job) };
  },
};
