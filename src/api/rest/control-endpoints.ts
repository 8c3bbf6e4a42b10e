// The control plane's endpoints, in the order of the reference.
import type { ControlEndpoint } from '../endpoint.ts';
import { createBackup } from './backups/create-backup.ts';
import { createBackupSchedule } from './backups/create-backup-schedule.ts';
import { createCollection } from './backups/create-collection.ts';
import { createIndexFromBackup } from './backups/create-index-from-backup.ts';
import { deleteBackup } from './backups/delete-backup.ts';
import { deleteBackupSchedule } from './backups/delete-backup-schedule.ts';
import { deleteCollection } from './backups/delete-collection.ts';
import { describeBackup } from './backups/describe-backup.ts';
import { describeBackupSchedule } from './backups/describe-backup-schedule.ts';
import { describeCollection } from './backups/describe-collection.ts';
import { describeRestoreJob } from './backups/describe-restore-job.ts';
import { listBackupScheduleHistory } from './backups/list-backup-schedule-history.ts';
import { listBackupSchedules } from './backups/list-backup-schedules.ts';
import { listBackups } from './backups/list-backups.ts';
import { listCollections } from './backups/list-collections.ts';
import { listIndexBackups } from './backups/list-index-backups.ts';
import { listRestoreJobs } from './backups/list-restore-jobs.ts';
import { updateBackupSchedule } from './backups/update-backup-schedule.ts';
import { describeTools } from './console/describe-tools.ts';
import { followRequests } from './console/follow-requests.ts';
import { listSchedules } from './console/list-schedules.ts';
import { readLiveFigures } from './console/read-live-figures.ts';
import { readOverview } from './console/read-overview.ts';
import {
  compareBranch,
  createBranch,
  deleteBranch,
  describeBranch,
  describeMerge,
  listBranches,
  listDifferences,
  mergeBranch,
} from './indexes/branches.ts';
import { followChanges, readChanges } from './indexes/change-feed.ts';
import {
  compareModels,
  describeModelChange,
  endModelChange,
  revertModel,
  startModelChange,
  switchModel,
} from './indexes/change-model.ts';
import { checkIndex, describeIndexCheck } from './indexes/check-index.ts';
import { configureIndex } from './indexes/configure-index.ts';
import { createIndex } from './indexes/create-index.ts';
import { createIndexForModel } from './indexes/create-index-for-model.ts';
import { deleteIndex } from './indexes/delete-index.ts';
import { describeIndex } from './indexes/describe-index.ts';
import { describeHistory, describeUndo, listChanges, startUndo } from './indexes/history.ts';
import { listIndexes } from './indexes/list-indexes.ts';
import { memoryEndpoints } from './indexes/memory-profile.ts';
import { recallEndpoints } from './indexes/promised-recall.ts';
import { describeReembedding, reembedIndex } from './indexes/reembed-index.ts';
import { timeToLiveEndpoints } from './indexes/time-to-live.ts';
import { describeRecoverableIndex, listRecoverableIndexes } from './recoveries/recoverable-indexes.ts';
import { describeRecovery, listRecoveries } from './recoveries/recoveries.ts';
import { startRecovery } from './recoveries/start-recovery.ts';

export const controlEndpoints: readonly ControlEndpoint[] = [
  listIndexes,
  createIndex,
  createIndexForModel,
  describeIndex,
  configureIndex,
  deleteIndex,
  reembedIndex,
  describeReembedding,
  startModelChange,
  describeModelChange,
  compareModels,
  switchModel,
  revertModel,
  endModelChange,
  timeToLiveEndpoints.describe,
  timeToLiveEndpoints.set,
  timeToLiveEndpoints.end,
  recallEndpoints.describe,
  recallEndpoints.set,
  recallEndpoints.end,
  memoryEndpoints.describe,
  memoryEndpoints.set,
  memoryEndpoints.end,
  describeHistory,
  listChanges,
  readChanges,
  followChanges,
  startUndo,
  describeUndo,
  listBranches,
  createBranch,
  describeBranch,
  deleteBranch,
  listDifferences,
  compareBranch,
  mergeBranch,
  describeMerge,
  checkIndex,
  describeIndexCheck,
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
  listRecoverableIndexes,
  describeRecoverableIndex,
  startRecovery,
  listRecoveries,
  describeRecovery,
  listBackupSchedules,
  createBackupSchedule,
  describeBackupSchedule,
  updateBackupSchedule,
  deleteBackupSchedule,
  listBackupScheduleHistory,
  readOverview,
  listSchedules,
  readLiveFigures,
  followRequests,
  describeTools,
];
