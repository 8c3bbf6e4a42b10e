// GET /recoveries and GET /recoveries/{recovery_id}: the jobs that recover indexes to a moment.
import type { ControlEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { answerPage, PAGE_QUERY, pageOf } from '../backups/backup-pages.ts';
import { OURS, RecoveryObject, RecoveryParams, recoveryToWire } from './recovery-schemas.ts';

const common = { method: 'GET', tag: 'Recoveries', since: '2026-07', errors: 'standard' } as const;

export const listRecoveries: ControlEndpoint = {
  ...common,
  id: 'list_recoveries',
  path: '/recoveries',
  summary: 'List recoveries of indexes',
  description: `Newest first.${OURS}`,
  permission: 'control_plane::restore_jobs::list',
  query: Type.Object(PAGE_QUERY),
  success: { status: 200, description: 'A page of recoveries.', schema: pageOf(RecoveryObject) },
  faults: ['invalid-argument'],
  handle: (call) =>
    answerPage(call, {
      boundTo: [listRecoveries.id],
      list: (page) => call.services.recoveries.jobs(call.access, page),
      toWire: recoveryToWire,
    }),
};

export const describeRecovery: ControlEndpoint = {
  ...common,
  id: 'describe_recovery',
  path: '/recoveries/{recovery_id}',
  summary: 'Describe a recovery of an index',
  description: OURS.trim(),
  permission: 'control_plane::restore_jobs::describe',
  params: RecoveryParams,
  success: { status: 200, description: 'The recovery and its progress.', schema: RecoveryObject },
  faults: ['recovery-not-found'],
  handle: async ({ access, params, services }) => {
    const job = await services.recoveries.job(access, params.recovery_id ?? '');
    return { status: 200, body: recoveryToWire(job) };
  },
};
