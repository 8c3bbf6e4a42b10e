// Conditions of administration and identity: organizations, projects, people, keys, roles.
import { entry, type FaultEntry } from './entry.ts';

export const ADMINISTRATION_FAULTS = {
  'access-forbidden': entry(
    403,
    'FORBIDDEN',
    "The caller's roles do not allow it.",
    'Access denied: Permission {permission} is required',
  ),
  'sign-in-refused': entry(
    401,
    'UNAUTHENTICATED',
    'The credential of a sign-in to the console is wrong, used or expired.',
    '{reason}',
  ),
  'provider-unavailable': entry(
    503,
    'UNAVAILABLE',
    'The OpenID provider does not answer, or not as it should. Other ways to sign in work.',
    '{reason}',
  ),
  'session-not-found': entry(404, 'NOT_FOUND', 'The caller has no session of this id.', 'Session not found'),
  'unsupported-grant': entry(
    400,
    'INVALID_ARGUMENT',
    'The token exchange requests a grant other than client_credentials.',
    'grant_type must be client_credentials',
  ),
  'limit-out-of-range': entry(
    400,
    'OUT_OF_RANGE',
    'The page limit is out of range.',
    'limit must be a whole number from {min} to {max}',
  ),
  'organization-not-found': entry(
    404,
    'NOT_FOUND',
    'The caller sees no organization of this id.',
    'Organization {id} not found',
  ),
  'project-not-found': entry(
    404,
    'NOT_FOUND',
    'The caller sees no project of this id.',
    'Project {id} not found',
  ),
  'api-key-not-found': entry(
    404,
    'NOT_FOUND',
    'The caller sees no API key of this id.',
    'API Key {id} not found',
  ),
  'user-not-found': entry(404, 'NOT_FOUND', 'The caller sees no user of this id.', 'User {id} not found'),
  'invite-not-found': entry(
    404,
    'NOT_FOUND',
    'The caller sees no invite of this id.',
    'Invite {id} not found',
  ),
  'service-account-not-found': entry(
    404,
    'NOT_FOUND',
    'The caller sees no service account of this id.',
    'Service Account {id} not found',
  ),
  'role-binding-not-found': entry(
    404,
    'NOT_FOUND',
    'The caller sees no role binding of this id.',
    'Role Binding {id} not found',
  ),
  'principal-not-found': entry(
    404,
    'NOT_FOUND',
    'The organization has no principal of this type and id.',
    'Principal {type} {id} not found',
  ),
  'organization-not-empty': entry(
    412,
    'FAILED_PRECONDITION',
    'The organization has projects.',
    'Organization {id} still has projects. Delete them first.',
  ),
  'project-not-empty': entry(
    412,
    'FAILED_PRECONDITION',
    'The project has indexes, assistants or other resources.',
    'Project {id} still has resources: {resources}. Delete them first.',
  ),
  'last-owner': entry(
    409,
    'ABORTED',
    'The change would remove the last owner of the organization.',
    'The organization must keep at least one OrgOwner.',
  ),
  'last-membership': entry(
    409,
    'ABORTED',
    "The change would remove a principal's last organization role, which it still needs.",
    "This is the {principal}'s last organization role. {remedy}",
  ),
  'binding-exists': entry(
    409,
    'ALREADY_EXISTS',
    'The principal already has this role on this resource.',
    'Role binding already exists: {id}',
  ),
  'invite-exists': entry(
    409,
    'ALREADY_EXISTS',
    'A pending or expired invite for this address exists.',
    'An invite for this email already exists: {id}',
  ),
  'already-member': entry(
    409,
    'ALREADY_EXISTS',
    'A user with this address is already a member of the organization.',
    'A user with this email is already a member of the organization.',
  ),
  'invite-processed': entry(
    409,
    'ALREADY_EXISTS',
    'The invite has already been accepted.',
    'Invite {id} has already been accepted.',
  ),
  'too-many-attempts': entry(
    429,
    'RESOURCE_EXHAUSTED',
    'Too many attempts to sign in with this e-mail address, or wrong credentials from this address or of this client id; the retry-after header says when to retry.',
    'Too many attempts to sign in. Retry after {seconds} s.',
  ),
  'invites-exhausted': entry(
    429,
    'QUOTA_EXCEEDED',
    'The organization has reached its hourly limit of invites.',
    'At most {max} invites may be sent per hour.',
  ),
} as const satisfies Record<string, FaultEntry>;
