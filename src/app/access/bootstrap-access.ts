// First access: ensures that there is an organization, a default project, a key for it, and an owner.
import type { AdministrationStore, Catalog, Project, ServiceAccountCredential } from '../../catalog/port.ts';
import { SYSTEM } from '../../domain/administration/audit.ts';
import {
  digestOf,
  labelOf,
  newApiKey,
  newClientId,
  newClientSecret,
} from '../../domain/administration/credentials.ts';
import { DEFAULT_API_KEY_ROLES } from '../../domain/administration/roles.ts';
import { newId } from '../../domain/ids.ts';

/** Source of the default project's key; a generated key appears in clear text only here. */
export type FirstKey =
  | { readonly origin: 'generated'; readonly key: string }
  | { readonly origin: 'environment' }
  | { readonly origin: 'earlier start' };

/** Source of the first owner's credentials; a generated secret appears in clear text only here. */
export type FirstOwner =
  | { readonly origin: 'generated'; readonly clientId: string; readonly clientSecret: string }
  | { readonly origin: 'environment' }
  | { readonly origin: 'earlier start' };

export interface Presets {
  readonly apiKey: string | null;
  readonly adminClientId: string | null;
  readonly adminClientSecret: string | null;
}

export interface FirstAccess {
  readonly organizationId: string;
  readonly key: FirstKey;
  readonly owner: FirstOwner;
}

/**
 * Creates what is missing; safe to repeat, also after a crash halfway. Preset credentials become valid in addition
 * to existing ones, so that changing them locks nobody out.
 */
export async function bootstrapAccess(
  { administration }: Pick<Catalog, 'administration'>,
  { apiKey, adminClientId, adminClientSecret }: Presets,
): Promise<FirstAccess> {
  const organizationId = await homeOrganization(administration);
  const key = await firstKey(administration, organizationId, apiKey);
  const owner =
    adminClientId === null || adminClientSecret === null
      ? await firstOwner(administration, organizationId)
      : await presetOwner(administration, organizationId, { adminClientId, adminClientSecret });
  return { organizationId, key, owner };
}

/** Returns the oldest organization, which every installation has from its first start. */
async function homeOrganization(administration: AdministrationStore): Promise<string> {
  const [known] = await administration.organizations.list();
  if (known !== undefined) return known.id;
  const id = newId();
  await administration.organizations.create({ id, name: 'default', createdAt: now() }, SYSTEM);
  return id;
}

async function firstKey(
  administration: AdministrationStore,
  organizationId: string,
  preset: string | null,
): Promise<FirstKey> {
  const project = await defaultProject(administration, organizationId);
  const { keys } = await administration.access.snapshot();
  if (preset !== null) {
    const sha256 = digestOf(preset);
    if (!keys.some((key) => key.sha256 === sha256)) {
      await addKey(administration, project, { name: 'preset', label: labelOf(preset), sha256 });
    }
    return { origin: 'environment' };
  }
  if (keys.some((key) => key.projectId === project.id)) return { origin: 'earlier start' };
  return { origin: 'generated', key: await newProjectKey(administration, project, 'default') };
}

/** Returns the oldest project; creates one when there is none. */
export async function defaultProject(
  administration: AdministrationStore,
  organizationId: string,
): Promise<Project> {
  const [known] = await administration.projects.list(organizationId);
  if (known !== undefined) return known;
  const project = {
    id: newId(),
    organizationId,
    name: 'default',
    maxPods: 0,
    forceEncryptionWithCmek: false,
    createdAt: now(),
  };
  await administration.projects.create(project, SYSTEM);
  return project;
}

/** The key in clear text. */
export async function newProjectKey(
  administration: AdministrationStore,
  project: Project,
  name: string,
): Promise<string> {
  const { value, label, sha256 } = newApiKey();
  await addKey(administration, project, { name, label, sha256 });
  return value;
}

async function addKey(
  administration: AdministrationStore,
  { id: projectId, organizationId }: Project,
  fields: { readonly name: string; readonly label: string; readonly sha256: string },
): Promise<void> {
  const key = { id: newId(), organizationId, projectId, roles: DEFAULT_API_KEY_ROLES, createdAt: now() };
  await administration.apiKeys.create({ ...key, ...fields }, SYSTEM);
}

/** An existing owner has credentials that somebody can use. */
async function firstOwner(administration: AdministrationStore, organizationId: string): Promise<FirstOwner> {
  const { bindings } = await administration.access.snapshot();
  const isOwned = bindings.some(
    (each) =>
      each.organizationId === organizationId && each.role === 'OrgOwner' && each.principal.type !== 'invite',
  );
  if (isOwned) return { origin: 'earlier start' };
  const clientId = newClientId();
  const clientSecret = newClientSecret();
  await addOwner(administration, organizationId, { name: 'default', clientId, clientSecret });
  return { origin: 'generated', clientId, clientSecret };
}

/** A changed preset secret is a rotation: tokens of the old one become invalid. The account becomes an owner. */
async function presetOwner(
  administration: AdministrationStore,
  organizationId: string,
  {
    adminClientId,
    adminClientSecret,
  }: { readonly adminClientId: string; readonly adminClientSecret: string },
): Promise<FirstOwner> {
  const { serviceAccounts, bindings } = await administration.access.snapshot();
  const known = serviceAccounts.find(({ clientId }) => clientId === adminClientId);
  if (known === undefined) {
    const fields = { name: 'preset', clientId: adminClientId, clientSecret: adminClientSecret };
    await addOwner(administration, organizationId, fields);
    return { origin: 'environment' };
  }
  if (known.secretSha256 !== digestOf(adminClientSecret)) {
    await administration.serviceAccounts.rotateSecret(known, digestOf(adminClientSecret), SYSTEM);
  }
  const isOwner = bindings.some(({ principal, role }) => principal.id === known.id && role === 'OrgOwner');
  if (!isOwner) await administration.roleBindings.create(ownership(known), SYSTEM);
  return { origin: 'environment' };
}

function ownership({ id, organizationId }: Pick<ServiceAccountCredential, 'id' | 'organizationId'>) {
  return {
    id: newId(),
    organizationId,
    principal: { type: 'service_account', id },
    resourceType: 'organization',
    resourceId: organizationId,
    role: 'OrgOwner',
    createdAt: now(),
  } as const;
}

export async function addOwner(
  administration: AdministrationStore,
  organizationId: string,
  fields: { readonly name: string; readonly clientId: string; readonly clientSecret: string },
): Promise<void> {
  const { name, clientId, clientSecret } = fields;
  const createdAt = now();
  await administration.serviceAccounts.create(
    {
      id: newId(),
      organizationId,
      name,
      clientId,
      secretSha256: digestOf(clientSecret),
      createdAt,
      updatedAt: createdAt,
    },
    [{ resourceType: 'organization', resourceId: organizationId, role: 'OrgOwner' }],
    SYSTEM,
  );
}

function now(): string {
  return new Date().toISOString();
}
