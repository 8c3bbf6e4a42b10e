// The catalog's tables as Kysely sees them: column types that SQLite and PostgreSQL share.

export interface SettingTable {
  name: string;
  value: string;
}

export interface OrganizationTable {
  id: string;
  name: string;
  created_at: string;
}

export interface ProjectTable {
  id: string;
  organization_id: string;
  name: string;
  created_at: string;
}

export interface ApiKeyTable {
  id: string;
  project_id: string;
  name: string;
  sha256: string;
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
}

export interface PortGrantTable {
  port: number;
  project_id: string;
  index_name: string;
  /** Counts the grants, so that the longest unused port is known without trusting a clock. */
  turn: number;
}

export interface CatalogSchema {
  settings: SettingTable;
  organizations: OrganizationTable;
  projects: ProjectTable;
  api_keys: ApiKeyTable;
  indexes: IndexTable;
  port_grants: PortGrantTable;
}
