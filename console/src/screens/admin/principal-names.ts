// Names of people, service accounts and keys, as far as the person of the session may read them.
import { mayInOrganization, project } from '../../api/session.ts';
import { readAll } from '../../ui/paged-list.tsx';
import { useResource } from '../../ui/resource.ts';
import type { ApiKey, PrincipalType, ServiceAccount, User } from './types.ts';

export interface Principal {
  readonly type: PrincipalType;
  readonly id: string;
  readonly name: string;
}

/** Of each kind; others show their ids. */
const PRINCIPALS_MAX = 1_000;

/** Undefined until they are read; none where they cannot be. */
export function usePrincipals(): readonly Principal[] | undefined {
  const id = project.value?.id;
  const resource = useResource(`principals ${id}`, async (signal) => {
    const bound = { signal, rowsMax: PRINCIPALS_MAX };
    const users = mayInOrganization('admin::users::read') ? await readAll<User>('admin/users', bound) : [];
    const accounts = mayInOrganization('admin::service_accounts::read')
      ? await readAll<ServiceAccount>('admin/service-accounts', bound)
      : [];
    const mayReadKeys = project.value?.permissions.includes('admin::api_keys::read') === true;
    const keys = mayReadKeys ? await readAll<ApiKey>(`admin/projects/${id}/api-keys`, bound) : [];
    return [
      ...users.map((user): Principal => ({ type: 'user', id: user.id, name: user.email })),
      ...accounts.map(({ id: own, name }): Principal => ({ type: 'service_account', id: own, name })),
      ...keys.map(({ id: own, name }): Principal => ({ type: 'api_key', id: own, name })),
    ];
  });
  return resource.value ?? (resource.problem && []);
}

export const PRINCIPAL_KINDS: Readonly<Record<PrincipalType, string>> = {
  user: 'person',
  service_account: 'service account',
  api_key: 'API key',
};
