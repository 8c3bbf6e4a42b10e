// GET /backups/{backup_id}: describes a backup.
import type { ControlCall, ControlEndpoint, Reply } from '../../endpoint.ts';
import { BackupObject, BackupParams } from './backup-schemas.ts';
import { backupToWire } from './backup-wire.ts';

/** The `backup_id` of the path, which the router guarantees. */
export function backupId({ params }: Pick<ControlCall, 'params'>): string {
  return params.backup_id ?? '';
}

async function handle(call: ControlCall): Promise<Reply> {
  const { backups } = call.services;
  const backup = await backups.describe(call.access, backupId(call));
  return { status: 200, body: backupToWire(backup, call.version, await backups.problemOf(backup)) };
}

export const describeBackup: ControlEndpoint = {
  id: 'describe_backup',
  method: 'GET',
  path: '/backups/{backup_id}',
  tag: 'Backups',
  summary: 'Describe a backup',
  since: '2025-04',
  permission: 'control_plane::backups::describe',
  errors: 'standard',
  params: BackupParams,
  success: { status: 200, description: 'The backup.', schema: BackupObject },
  faults: ['backup-not-found'],
  handle,
};
