// Conditions of namespace aliases. Each has a reason, which clients compare instead of the message.

import {
  ALIAS_NAME_CHARS_MAX,
  ALIASES_PER_INDEX_MAX,
  LIST_LIMIT_MAX,
  LIST_LIMIT_MIN,
  NAMESPACE_NAME_CHARS_MAX,
} from '../limits.ts';
import { entry, type FaultEntry, withReason } from './entry.ts';

const MANAGE_AT = '/namespace-aliases';

export const ALIAS_FAULTS = {
  'alias-name-invalid': withReason(
    'ALIAS_NAME_INVALID',
    entry(
      400,
      'INVALID_ARGUMENT',
      'The name of an alias breaks the rules for alias names.',
      `An alias name must be 1 to ${ALIAS_NAME_CHARS_MAX} printable ASCII characters, without spaces and / ? # % & = \\ ; +, and not ., .. or __default__`,
    ),
  ),
  'alias-exists': withReason(
    'ALIAS_ALREADY_EXISTS',
    entry(
      409,
      'ALREADY_EXISTS',
      'The index has an alias of this name; the metadata of the error names its target.',
      'Namespace alias {name} already exists. Its target is {target}.',
    ),
  ),
  'name-in-use-by-namespace': withReason(
    'NAME_IN_USE_BY_NAMESPACE',
    entry(
      409,
      'ALREADY_EXISTS',
      'A new alias has the name of a namespace.',
      'The name {name} is in use by a namespace',
    ),
  ),
  'name-is-target': withReason(
    'NAME_IN_USE_BY_NAMESPACE',
    entry(
      409,
      'ALREADY_EXISTS',
      'A new alias has the name of a namespace that an alias points at, if all records of that were deleted.',
      'The name {name} is the target of namespace alias {alias}. Aliases cannot be chained.',
    ),
  ),
  'name-in-use-by-alias': withReason(
    'NAME_IN_USE_BY_ALIAS',
    entry(
      409,
      'ALREADY_EXISTS',
      'An upsert, or a new namespace, has the name of an alias.',
      'The name {name} is in use by a namespace alias. Write to its target namespace.',
    ),
  ),
  'target-namespace-required': withReason(
    'TARGET_NAMESPACE_REQUIRED',
    entry(400, 'INVALID_ARGUMENT', 'The target of an alias is missing.', 'target_namespace is required'),
  ),
  'target-namespace-too-long': withReason(
    'NAMESPACE_TOO_LONG',
    entry(
      400,
      'INVALID_ARGUMENT',
      'The target of an alias is too long for a namespace name.',
      `target_namespace must be 1 to ${NAMESPACE_NAME_CHARS_MAX} characters long, got {length}`,
    ),
  ),
  'target-namespace-invalid': withReason(
    'NAMESPACE_INVALID',
    entry(
      400,
      'INVALID_ARGUMENT',
      'The target of an alias is not a namespace name.',
      'target_namespace must be ASCII without NUL characters',
    ),
  ),
  'target-namespace-not-found': withReason(
    'TARGET_NAMESPACE_NOT_FOUND',
    entry(
      400,
      'INVALID_ARGUMENT',
      'The target of an alias does not exist.',
      'Target namespace {name} not found',
    ),
  ),
  'target-is-alias': withReason(
    'TARGET_IS_ALIAS',
    entry(
      400,
      'INVALID_ARGUMENT',
      'The target of an alias is an alias.',
      'Target {name} is a namespace alias. Aliases cannot be chained.',
    ),
  ),
  'aliases-exhausted': withReason(
    'ALIASES_PER_INDEX_EXCEEDED',
    entry(
      400,
      'INVALID_ARGUMENT',
      'The index has as many aliases as it may have.',
      `An index may have at most ${ALIASES_PER_INDEX_MAX} namespace aliases`,
    ),
  ),
  'alias-version-too-old': withReason(
    'API_VERSION_TOO_OLD',
    entry(
      400,
      'INVALID_ARGUMENT',
      'Aliases are managed with an API version that does not have them.',
      'Managing namespace aliases requires API version {since} or later',
    ),
  ),
  'alias-not-found': withReason(
    'ALIAS_NOT_FOUND',
    entry(404, 'NOT_FOUND', 'The index has no alias of this name.', 'Namespace alias {name} not found'),
  ),
  'write-to-alias': withReason(
    'WRITE_TO_ALIAS',
    entry(
      400,
      'INVALID_ARGUMENT',
      'An update or delete of vectors names an alias.',
      'The name {name} is a namespace alias. Write to its target namespace.',
    ),
  ),
  'document-write-to-alias': withReason(
    'WRITE_TO_ALIAS',
    entry(
      412,
      'FAILED_PRECONDITION',
      'An update or delete of documents names an alias.',
      'The name {name} is a namespace alias. Write to its target namespace.',
    ),
  ),
  'namespace-operation-on-alias': withReason(
    'NAMESPACE_OPERATION_ON_ALIAS',
    entry(
      400,
      'INVALID_ARGUMENT',
      'A namespace to describe or delete is an alias.',
      `The name {name} is a namespace alias. Use ${MANAGE_AT}/{name}.`,
    ),
  ),
  'followed-alias': withReason(
    'NAMESPACE_OPERATION_ON_ALIAS',
    entry(
      400,
      'INVALID_ARGUMENT',
      'The changes of an alias are to be followed; the metadata of the error names its target.',
      'The name {name} is a namespace alias, which may be repointed. Follow its target namespace {target}.',
    ),
  ),
  'lifetime-of-alias': withReason(
    'NAMESPACE_OPERATION_ON_ALIAS',
    entry(
      400,
      'INVALID_ARGUMENT',
      'A time to live names an alias as a namespace, and did not name it before.',
      'The name {name} is a namespace alias, so no namespace would have the lifetime. Set that of its target namespace.',
    ),
  ),
  'namespace-targeted-by-alias': withReason(
    'NAMESPACE_TARGETED_BY_ALIAS',
    entry(
      400,
      'INVALID_ARGUMENT',
      'A namespace to delete is the target of an alias.',
      'Namespace {name} is the target of a namespace alias. Repoint or delete the alias first.',
    ),
  ),
  'alias-list-limit': withReason(
    'LIST_INVALID_LIMIT',
    entry(
      400,
      'INVALID_ARGUMENT',
      'The limit of a list of aliases is out of range.',
      `limit must be an integer from ${LIST_LIMIT_MIN} to ${LIST_LIMIT_MAX}`,
    ),
  ),
  'alias-list-token': withReason(
    'INVALID_PAGINATION_TOKEN',
    entry(
      400,
      'INVALID_ARGUMENT',
      'The token of a list of aliases is damaged, or comes from another listing.',
      'paginationToken is not a token of this listing',
    ),
  ),
  'alias-list-token-new-prefix': withReason(
    'LIST_INVALID_TOKEN_WITH_NEW_PREFIX',
    entry(
      400,
      'INVALID_ARGUMENT',
      'The token of a list of aliases comes from a listing with another prefix.',
      'paginationToken is a token of a listing with another prefix',
    ),
  ),
  'alias-list-token-new-target': withReason(
    'LIST_INVALID_TOKEN_WITH_NEW_TARGET',
    entry(
      400,
      'INVALID_ARGUMENT',
      'The token of a list of aliases comes from a listing with another target.',
      'paginationToken is a token of a listing with another target_namespace',
    ),
  ),
  'alias-list-target-empty': withReason(
    'TARGET_FILTER_EMPTY',
    entry(
      400,
      'INVALID_ARGUMENT',
      'Aliases are listed by an empty target.',
      'target_namespace must not be empty',
    ),
  ),
  'alias-list-prefix-too-long': withReason(
    'PREFIX_TOO_LONG',
    entry(
      400,
      'INVALID_ARGUMENT',
      'The prefix of a list of aliases is longer than any alias name.',
      `prefix must be at most ${ALIAS_NAME_CHARS_MAX} characters long`,
    ),
  ),
  'alias-list-prefix-not-ascii': withReason(
    'PREFIX_MUST_BE_ASCII',
    entry(400, 'INVALID_ARGUMENT', 'The prefix of a list of aliases is not ASCII.', 'prefix must be ASCII'),
  ),
  'alias-list-prefix-nul': withReason(
    'PREFIX_MUST_NOT_CONTAIN_NULL_CHARACTER',
    entry(
      400,
      'INVALID_ARGUMENT',
      'The prefix of a list of aliases has a NUL character.',
      'prefix must not contain NUL characters',
    ),
  ),
} as const satisfies Record<string, FaultEntry>;
