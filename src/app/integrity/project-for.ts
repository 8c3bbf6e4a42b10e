// The project that something without a catalog belonged to.
import type { Catalog, Project } from '../../catalog/port.ts';
import { SYSTEM } from '../../domain/administration/audit.ts';
import { newId } from '../../domain/ids.ts';

/** The project of this id in the oldest organization; both are created when they are missing. */
export async function projectFor(
  { administration }: Catalog,
  { id, name }: Pick<Project, 'id' | 'name'>,
): Promise<Project> {
  const [known] = await administration.organizations.list();
  const organizationId = known?.id ?? newId();
  const createdAt = new Date().toISOString();
  if (known === undefined)
    await administration.organizations.create({ id: organizationId, name: 'default', createdAt }, SYSTEM);
  const found = await administration.projects.find({ organizationId, id });
  if (found !== null) return found;
  const project = { id, organizationId, name, maxPods: 0, forceEncryptionWithCmek: false, createdAt };
  await administration.projects.create(project, SYSTEM);
  return project;
}
