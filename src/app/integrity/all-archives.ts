// All backups and collections of an installation.
import type { Archive, Catalog } from '../../catalog/port.ts';
import type { Project } from '../../domain/administration/model.ts';
import type { Page, PageQuery } from '../../domain/administration/pages.ts';

const PAGE = 100;

export async function allProjects({
  administration,
}: Pick<Catalog, 'administration'>): Promise<readonly Project[]> {
  const projects: Project[] = [];
  for (const { id } of await administration.organizations.list())
    projects.push(...(await administration.projects.list(id)));
  return projects;
}

/** In any state but Scheduled. */
export async function archivesOfProject(
  { archives }: Pick<Catalog, 'archives'>,
  projectId: string,
): Promise<readonly Archive[]> {
  const backups = await allPages((page) => archives.list({ projectId, face: 'backup' }, page));
  return [...backups, ...(await archives.listCollections(projectId))];
}

export async function allPages<Item>(
  list: (page: PageQuery) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let after: PageQuery['after'] = null;
  do {
    const page: Page<Item> = await list({ limit: PAGE, after });
    items.push(...page.items);
    after = page.next;
  } while (after !== null);
  return items;
}
