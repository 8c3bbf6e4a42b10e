// The catalog's tables as Kysely sees them: column types that SQLite and PostgreSQL share.

import type { Actor, AuditEntry } from '../domain/administration/audit.ts';
import type { Grant, RoleBinding } from '../domain/administration/model.ts';
import type { Archive } from '../domain/backups/archive.ts';
import type { BackupSchedule } from '../domain/backups/schedule.ts';
import type { IndexEmbedding } from '../domain/embedding/index-embedding.ts';
import type { ModelChange } from '../domain/embedding/vector-sets.ts';
import type { TimeToLive } from '../domain/expiry/time-to-live.ts';
import type { Index } from '../domain/index-model.ts';
import type { JobState } from '../domain/jobs.ts';
import type { JsonText } from '../domain/json.ts';
import type { JudgmentSet } from '../domain/judgments/judgment-set.ts';
import type { MemoryProfile } from '../domain/memory-profile.ts';
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

export interface ConsoleSessionTable {
  cookie_sha256: string;
  /** A session without the columns beside, as JSON. */
  content: string;
  last_used_at: number;
}

export interface PasswordTable {
  user_id: string;
  organization_id: string;
  /** As password-hash.ts writes it. */
  hash: string;
  created_at: string;
}

export interface IdentityTable {
  issuer: string;
  subject: string;
  organization_id: string;
  /** Empty for a removed person whose account has another holder. */
  user_id: string;
  /** The roles that the provider's groups gave, and take again. */
  granted: JsonText<readonly Grant[]>;
  /** When an owner removed the person; null for those who may sign in. */
  removed_at: string | null;
  created_at: string;
  signed_in_at: string;
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
  principal_type: RoleBinding['principal']['type'];
  principal_id: string;
  resource_type: RoleBinding['resourceType'];
  resource_id: string;
  role: RoleBinding['role'];
  created_at: string;
}

export interface AuditEntryTable {
  id: string;
  organization_id: string;
  at: string;
  actor_type: Actor['type'];
  actor_id: string;
  request_id: string | null;
  action: string;
  resource_type: string;
  resource_id: string;
  outcome: AuditEntry['outcome'];
  details: JsonText<AuditEntry['details']>;
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
  vector_type: Index['vectorType'];
  metric: Index['metric'];
  dimension: number | null;
  deployment: JsonText<Index['deployment']>;
  state: Index['state'];
  deletion_protection: Index['deletionProtection'];
  tags: JsonText<Index['tags']>;
  port: number | null;
  created_at: string;
  /** Null without integrated embedding. */
  embed: JsonText<IndexEmbedding> | null;
  /** Null for indexes of the vectors API. */
  documents: JsonText<NonNullable<Index['documents']>> | null;
  /** Null where it is `id`. */
  storage_id: string | null;
  model_change: JsonText<ModelChange> | null;
  time_to_live: JsonText<TimeToLive> | null;
  promised_recall: number | null;
  /** Null for the server's default. */
  memory_profile: MemoryProfile | null;
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
  state: JobState;
  percent: number;
  input: JsonText<unknown>;
  progress: JsonText<unknown> | null;
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
  face: Archive['face'];
  project_id: string;
  name: string | null;
  description: string | null;
  state: Archive['state'];
  /** The index as it was. Rows of 0.1.0 have no `documents`. */
  source: JsonText<Omit<Archive['source'], 'documents'> & Partial<Archive['source']>>;
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
  frequency: BackupSchedule['frequency'];
  retention_days: number;
  /** 0 or 1. */
  enabled: number;
  anchor_at: string;
  /** Null when it is disabled. */
  next_run_at: string | null;
  created_at: string;
}

export interface NamespaceAliasTable {
  index_id: string;
  name: string;
  target: string;
  created_at: string;
  updated_at: string;
}

export interface JudgmentSetTable {
  id: string;
  index_id: string;
  name: string;
  namespace: string;
  questions: JsonText<JudgmentSet['questions']>;
  question_count: number;
  judgment_count: number;
  scores: JsonText<JudgmentSet['scores']>;
  revision: number;
  created_at: string;
  updated_at: string;
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

export interface NodeTable {
  id: string;
  address: string;
  release: string;
  incarnation: string;
  /** By the shared clock. */
  lease_until: string;
  seen_at: string;
  memory_free_bytes: number;
  disk_free_bytes: number;
  /** 0 or 1. */
  is_draining: number;
}

/** Of indexes and assistants, where nodes have records of their own. */
export interface PlacementTable {
  id: string;
  node_id: string;
  epoch: number;
  /** 0 or 1. */
  is_held: number;
  copy_node_id: string | null;
  copy_storage_id: string | null;
  /** 0 or 1. */
  is_copy_condemned: number;
}

/** Storage on a node that does not answer. */
export interface NodeLeftoverTable {
  node_id: string;
  storage_id: string;
  /** The move that makes it; null for what is to be removed. */
  job_id: string | null;
  /** Which of an assistant's indexes it is a copy of. */
  part: 'dense' | 'sparse' | null;
  /** By the shared clock. */
  since: string;
}

export interface CatalogSchema {
  settings: SettingTable;
  nodes: NodeTable;
  placements: PlacementTable;
  node_leftovers: NodeLeftoverTable;
  console_sessions: ConsoleSessionTable;
  organizations: OrganizationTable;
  projects: ProjectTable;
  api_keys: ApiKeyTable;
  users: UserTable;
  passwords: PasswordTable;
  identities: IdentityTable;
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
  namespace_aliases: NamespaceAliasTable;
  judgment_sets: JudgmentSetTable;
  assistants: AssistantTable;
  assistant_files: AssistantFileTable;
  assistant_revisions: AssistantRevisionTable;
  assistant_operations: AssistantOperationTable;
}
