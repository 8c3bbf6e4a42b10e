// A project with one API key, for tests of sessions.
import { digestOf } from '../../../domain/administration/credentials.ts';
import type { Principals } from '../principals.ts';

export const KEY = { type: 'api_key', id: 'key' } as const;

/** Makes the key, whose secret is "secret", the only principal. */
export function loadOneKey(principals: Principals): void {
  principals.load({
    projects: [{ id: 'project', organizationId: 'org', name: 'search' }],
    keys: [{ id: 'key', projectId: 'project', sha256: digestOf('secret') }],
    bindings: [],
    serviceAccounts: [],
    users: [],
  });
}
