// The control plane's endpoints, in the order of the reference.
import type { ControlEndpoint } from '../endpoint.ts';
import { configureIndex } from './configure-index.ts';
import { createBackup } from './create-backup.ts';
import { createBackupSchedule } from './create-backup-schedule.ts';
import { createCollection } from './create-collection.ts';
import { createIndex } from './create-index.ts';
import { createIndexForModel } from './create-index-for-model.ts';
import { createIndexFromBackup } from './create-index-from-backup.ts';
import { deleteBackup } from './delete-backup.ts';
import { deleteBackupSchedule } from './delete-backup-schedule.ts';
import { deleteCollection } from './delete-collection.ts';
import { deleteIndex } from './delete-index.ts';
import { describeBackup } from './describe-backup.ts';
import { describeBackupSchedule } from './describe-backup-schedule.ts';
import { describeCollection } from './describe-collection.ts';
import { describeIndex } from './describe-index.ts';
import { describeRestoreJob } from './describe-restore-job.ts';
import { listBackupScheduleHistory } from './list-backup-schedule-history.ts';
import { listBackupSchedules } from './list-backup-schedules.ts';
import { listBackups } from './list-backups.ts';
import { listCollections } from './list-collections.ts';
import { listIndexBackups } from './list-index-backups.ts';
import { listIndexes } from './list-indexes.ts';
import { listRestoreJobs } from './list-restore-jobs.ts';
import { describeReembedding, reembedIndex } from './reembed-index.ts';
import { updateBackupSchedule } from './update-backup-schedule.ts';

export const controlEndpoints: readonly ControlEndpoint[] = [
  listIndexes,
  createIndex,
  createIndexForModel,
  describeIndex,
  configureIndex,
  deleteIndex,
  reembedIndex,
  describeReembedding,
  listCollections,
  createCollection,
  describeCollection,
  deleteCollection,
  listIndexBackups,
  createBackup,
  listBackups,
  describeBackup,
  deleteBackup,
  createIndexFromBackup,
  listRestoreJobs,
  describeRestoreJob,
  listBackupSchedules,
  createBackupSchedule,
  describeBackupSchedule,
  updateBackupSchedule,
  deleteBackupSchedule,
  listBackupScheduleHistory,
];
