// DELETE /backups/{backup_id}: accepts the deletion, which goes on after the answer.
import type { ControlEndpoint } from '../../endpoint.ts';
import { BackupParams } from './backup-schemas.ts';
import { backupId } from './describe-backup.ts';

export const deleteBackup: ControlEndpoint = {
  id: 'delete_backup',
  method: 'DELETE',
  path: '/backups/{backup_id}',
  tag: 'Backups',
  summary: 'Delete a backup',
  description: 'One that is being made is given up. Indexes that were made of it stay.',
  since: '2025-04',
  permission: 'control_plane::backups::delete',
  errors: 'standard',
  params: BackupParams,
  success: { status: 202, description: 'The backup is gone; its storage follows.' },
  faults: ['backup-not-found', 'pending-restore-jobs'],
  handle: async (call) => {
    await call.services.backups.remove(call.access, backupId(call));
    return { status: 202 };
  },
};
