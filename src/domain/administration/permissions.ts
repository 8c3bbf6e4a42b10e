// All permissions: endpoints require them, roles grant them.

/** Named `plane::resource::verb`, as error messages quote them. */
export const PERMISSIONS = [
  'admin::organization::read',
  'admin::organization::update',
  'admin::organization::delete',
  'admin::billing::read',
  'admin::audit_log::read',
  'admin::users::read',
  'admin::users::delete',
  'admin::invites::read',
  'admin::invites::write',
  'admin::service_accounts::read',
  'admin::service_accounts::write',
  'admin::projects::create',
  'admin::project::read',
  'admin::project::update',
  'admin::project::delete',
  'admin::api_keys::read',
  'admin::api_keys::write',
  'admin::role_bindings::read',
  'admin::role_bindings::write',
  'control_plane::indexes::list',
  'control_plane::indexes::describe',
  'control_plane::indexes::create',
  'control_plane::indexes::configure',
  'control_plane::indexes::delete',
  'control_plane::collections::list',
  'control_plane::collections::describe',
  'control_plane::collections::create',
  'control_plane::collections::delete',
  'control_plane::backups::list',
  'control_plane::backups::describe',
  'control_plane::backups::create',
  'control_plane::backups::delete',
  'control_plane::restore_jobs::list',
  'control_plane::restore_jobs::describe',
  'control_plane::assistants::list',
  'control_plane::assistants::describe',
  'control_plane::assistants::create',
  'control_plane::assistants::configure',
  'control_plane::assistants::delete',
  'data_plane::vectors::read',
  'data_plane::vectors::write',
  'data_plane::namespaces::read',
  'data_plane::namespaces::write',
  'data_plane::imports::read',
  'data_plane::imports::write',
  'data_plane::assistant_files::read',
  'data_plane::assistant_files::write',
  'data_plane::assistants::chat',
  'data_plane::inference::use',
] as const;

export type Permission = (typeof PERMISSIONS)[number];
export type PermissionSet = ReadonlySet<Permission>;

/** What a principal may do in one organization. */
export interface Rights {
  /** Permissions on the organization and everything in it. */
  readonly everywhere: PermissionSet;
  readonly inProject: ReadonlyMap<string, PermissionSet>;
}
