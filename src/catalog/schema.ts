// The catalog's tables as Kysely sees them: column types that SQLite and PostgreSQL share.

import type {
  AssistantFileTable,
  AssistantOperationTable,
  AssistantRevisionTable,
  AssistantTable,
} from './assistants/tables.ts';

export interface SettingTable {
  name: string;
  value: string;
}

export interface OrganizationTable {
  id: string;
  name: string;
  created_at: string;
  /** Set by the deletion, which hides the row. */
  deleted_at: string | null;
}

export interface ProjectTable {
  id: string;
  organization_id: string;
  name: string;
  created_at: string;
  max_pods: number;
  /** 0 or 1. */
  force_encryption_with_cmek: number;
  /** Set by the deletion, which hides the row. */
  deleted_at: string | null;
}

export interface ApiKeyTable {
  id: string;
  project_id: string;
  name: string;
  sha256: string;
  created_at: string;
  label: string;
}

export interface UserTable {
  id: string;
  email: string;
  /** In lower case. */
  email_key: string;
  name: string | null;
  generation: number;
  created_at: string;
  updated_at: string;
}

export interface ServiceAccountTable {
  id: string;
  organization_id: string;
  name: string;
  client_id: string;
  secret_sha256: string;
  generation: number;
  created_at: string;
  updated_at: string;
}

export interface InviteTable {
  id: string;
  organization_id: string;
  email: string;
  email_key: string;
  expires_at: string;
  processed_at: string | null;
  link_number: number;
  created_at: string;
}

export interface RoleBindingTable {
  id: string;
  organization_id: string;
  principal_type: string;
  principal_id: string;
  resource_type: string;
  resource_id: string;
  role: string;
  created_at: string;
}

export interface AuditEntryTable {
  id: string;
  organization_id: string;
  at: string;
  actor_type: string;
  actor_id: string;
  request_id: string | null;
  action: string;
  resource_type: string;
  resource_id: string;
  outcome: string;
  /** JSON text. */
  details: string;
  count: number;
}

export interface SigningKeyTable {
  id: string;
  secret: string;
  created_at: string;
}

export interface IndexTable {
  id: string;
  project_id: string;
  name: string;
  vector_type: string;
  metric: string;
  dimension: number | null;
  /** JSON text. */
  deployment: string;
  state: string;
  deletion_protection: string;
  /** JSON text. */
  tags: string;
  port: number | null;
  created_at: string;
  /** JSON text; null without integrated embedding. */
  embed: string | null;
  /** JSON text; null for indexes of the vectors API. */
  documents: string | null;
}

export interface PortGrantTable {
  port: number;
  project_id: string;
  index_name: string;
  /** Numbers the grants, so that finding the longest unused port needs no clock. */
  turn: number;
  /** When the index was deleted; null while it exists. */
  retired_at: string | null;
}

export interface JobTable {
  id: string;
  kind: string;
  project_id: string;
  index_id: string | null;
  subject: string | null;
  state: string;
  percent: number;
  /** JSON text. */
  input: string;
  /** JSON text. */
  progress: string | null;
  error: string | null;
  attempts: number;
  /** 0 or 1. */
  cancelled: number;
  lease_owner: string | null;
  lease_until: string | null;
  due_at: string;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

export interface ArchiveTable {
  id: string;
  face: string;
  project_id: string;
  name: string | null;
  description: string | null;
  state: string;
  /** JSON text: the index as it was. */
  source: string;
  source_index_id: string;
  source_index_name: string;
  source_deleted_at: string | null;
  record_count: number;
  namespace_count: number;
  size_bytes: number;
  manifest_sha256: string | null;
  schedule_id: string | null;
  scheduled_at: string | null;
  expires_at: string | null;
  created_at: string;
}

export interface BackupScheduleTable {
  id: string;
  project_id: string;
  index_id: string;
  name: string;
  frequency: string;
  retention_days: number;
  /** 0 or 1. */
  enabled: number;
  anchor_at: string;
  /** Null when it is disabled. */
  next_run_at: string | null;
  created_at: string;
}

export interface ImportErrorTable {
  import_id: string;
  /** From 0 within the import. */
  number: number;
  file: string;
  row: number | null;
  record_id: string | null;
  reason: string;
}

export interface CatalogSchema {
  settings: SettingTable;
  organizations: OrganizationTable;
  projects: ProjectTable;
  api_keys: ApiKeyTable;
  users: UserTable;
  service_accounts: ServiceAccountTable;
  invites: InviteTable;
  role_bindings: RoleBindingTable;
  audit_entries: AuditEntryTable;
  signing_keys: SigningKeyTable;
  indexes: IndexTable;
  port_grants: PortGrantTable;
  jobs: JobTable;
  archives: ArchiveTable;
  backup_schedules: BackupScheduleTable;
  import_errors: ImportErrorTable;
  assistants: AssistantTable;
  assistant_files: AssistantFileTable;
  assistant_revisions: AssistantRevisionTable;
  assistant_operations: AssistantOperationTable;
}
