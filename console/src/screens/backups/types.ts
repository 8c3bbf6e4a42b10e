// What the server answers about backup schedules, as far as the console reads it.

export interface Schedule {
  readonly schedule_id: string;
  readonly name: string;
  readonly index_name: string | null;
  readonly frequency: string;
  readonly retention_expire_after_days: number;
  readonly enabled: boolean;
  readonly next_scheduled_run: string | null;
  readonly last_run: {
    readonly status: string;
    readonly created_at: string;
    readonly error: string | null;
  } | null;
}

export interface ScheduledBackup {
  readonly backup_id: string;
  readonly name: string;
  readonly status: string;
  readonly created_at: string;
  readonly scheduled_execution_at?: string;
  readonly size_bytes: number | null;
  readonly record_count: number | null;
}
