// What the server answers about backup schedules, as far as the console reads it.
import type { Answers } from '../../api/generated/answers.ts';

export type Schedule = Answers['list_project_backup_schedules']['data'][number];

export interface ScheduledBackup {
  readonly backup_id: string;
  readonly name: string;
  readonly status: string;
  readonly created_at: string;
  readonly scheduled_execution_at?: string;
  readonly size_bytes: number | null;
  readonly record_count: number | null;
}
