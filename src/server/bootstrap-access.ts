// First access: makes sure that there is an organization, a default project and a key that opens it.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Catalog, Project } from '../catalog/port.ts';
import { hashKey } from './key-ring.ts';

const KEY_BYTES = 32;

/** Where the key for the default project comes from; a generated one is in clear here and nowhere else. */
export type FirstKey =
  | { readonly origin: 'generated'; readonly key: string }
  | { readonly origin: 'environment' }
  | { readonly origin: 'earlier start' };

/**
 * Fills what is missing; safe to repeat, also after a crash halfway. A preset key becomes valid beside the
 * keys there are, so that changing it locks nobody out.
 */
export async function bootstrapAccess(catalog: Catalog, presetKey: string | null): Promise<FirstKey> {
  const project = await defaultProject(catalog);
  const keys = await catalog.listApiKeys();
  if (presetKey !== null) {
    const sha256 = hashKey(presetKey);
    if (!keys.some((key) => key.sha256 === sha256))
      await addKey(catalog, project, { name: 'preset', sha256 });
    return { origin: 'environment' };
  }
  if (keys.some((key) => key.projectId === project.id)) return { origin: 'earlier start' };
  const key = `pcsk_${randomBytes(KEY_BYTES).toString('base64url')}`;
  await addKey(catalog, project, { name: 'default', sha256: hashKey(key) });
  return { origin: 'generated', key };
}

async function defaultProject(catalog: Catalog): Promise<Project> {
  const [known] = await catalog.listProjects();
  if (known !== undefined) return known;
  const createdAt = new Date().toISOString();
  const [organization] = await catalog.listOrganizations();
  const organizationId = organization?.id ?? randomUUID();
  if (organization === undefined) {
    await catalog.insertOrganization({ id: organizationId, name: 'default', createdAt });
  }
  const project = { id: randomUUID(), organizationId, name: 'default', createdAt };
  await catalog.insertProject(project);
  return project;
}

async function addKey(
  catalog: Catalog,
  project: Project,
  facts: { readonly name: string; readonly sha256: string },
): Promise<void> {
  const createdAt = new Date().toISOString();
  await catalog.insertApiKey({ id: randomUUID(), projectId: project.id, createdAt, ...facts });
}
