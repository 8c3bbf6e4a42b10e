// DELETE /backups/{backup_id}: accepts the deletion, which continues in the background.
import type { ControlEndpoint } from '../../endpoint.ts';
import { BackupParams } from './backup-schemas.ts';
import { backupId } from './describe-backup.ts';

export const deleteBackup: ControlEndpoint = {
  id: 'delete_backup',
  method: 'DELETE',
  path: '/backups/{backup_id}',
  tag: 'Backups',
  summary: 'Delete a backup',
  description: 'Also cancels a backup in progress. Indexes restored from it stay.',
  since: '2025-04',
  permission: 'control_plane::backups::delete',
  errors: 'standard',
  params: BackupParams,
  success: { status: 202, description: 'The backup is deleted; its storage is freed in the background.' },
  faults: ['backup-not-found', 'pending-restore-jobs'],
  handle: async (call) => {
    await call.services.backups.remove(call.access, backupId(call));
    return { status: 202 };
  },
};
