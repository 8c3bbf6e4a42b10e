// pinyon admin reset-credentials: new credentials for a locked-out operator who can read the data directory.

import type { AdministrationStore, Catalog, ServiceAccountCredential } from '../../catalog/port.ts';
import { SYSTEM } from '../../domain/administration/audit.ts';
import { digestOf, newClientId, newClientSecret } from '../../domain/administration/credentials.ts';
import { addOwner, defaultProject, newProjectKey } from './bootstrap-access.ts';

export interface NewCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly apiKey: string;
}

/**
 * Gives the oldest service account that owns the organization a new secret, which invalidates the old one and
 * its tokens; creates an owner if there is none. The default project gets another key; existing keys stay valid.
 * @returns null when the server never ran on this data, so that the catalog has no organization
 */
export async function resetCredentials({
  administration,
}: Pick<Catalog, 'administration'>): Promise<NewCredentials | null> {
  const [organization] = await administration.organizations.list();
  if (organization === undefined) return null;
  const clientSecret = newClientSecret();
  const owner = await oldestOwner(administration, organization.id);
  const clientId = owner?.clientId ?? newClientId();
  if (owner === undefined) {
    await addOwner(administration, organization.id, { name: 'reset', clientId, clientSecret });
  } else {
    await administration.serviceAccounts.rotateSecret(owner, digestOf(clientSecret), SYSTEM);
  }
  const project = await defaultProject(administration, organization.id);
  return { clientId, clientSecret, apiKey: await newProjectKey(administration, project, 'reset') };
}

export function credentialsText({ clientId, clientSecret, apiKey }: NewCredentials): string {
  return `New credentials, shown this once:

  Client id      ${clientId}
  Client secret  ${clientSecret}
  API key        ${apiKey}

The former secret of this client id and its tokens no longer work. Other API keys still do.`;
}

async function oldestOwner(
  administration: AdministrationStore,
  organizationId: string,
): Promise<ServiceAccountCredential | undefined> {
  const { bindings, serviceAccounts } = await administration.access.snapshot();
  const owning = bindings
    .filter((each) => each.organizationId === organizationId && each.role === 'OrgOwner')
    .filter(({ principal }) => principal.type === 'service_account')
    .sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
  return serviceAccounts.find(({ id }) => id === owning[0]?.principal.id);
}
