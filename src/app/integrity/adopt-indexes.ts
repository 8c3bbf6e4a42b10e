// Brings indexes that no catalog knows back into the catalog, by the descriptions in their folders.
import type { Catalog } from '../../catalog/port.ts';
import { withoutModelChange } from '../../domain/embedding/model-change.ts';
import type { IndexDescription } from '../../domain/index-description.ts';
import type { Index } from '../../domain/index-model.ts';
import { projectFor } from './project-for.ts';

export interface AdoptedIndex {
  readonly id: string;
  /** Its name now: another one where the name was taken. */
  readonly name: string;
  readonly project: string;
}

/**
 * Gives each index a row, in the project of its description; creates the project under its id when it is missing.
 * @param described descriptions of indexes that the catalog does not have
 */
export async function adoptIndexes(
  catalog: Catalog,
  described: readonly IndexDescription[],
): Promise<readonly AdoptedIndex[]> {
  const adopted: AdoptedIndex[] = [];
  const usedPorts = new Set((await catalog.indexes.portGrants()).map(({ port }) => port));
  for (const { index, projectName } of newestOfEach(described)) {
    if (index.state === 'Terminating' || index.state === 'Initializing') continue;
    const project = await projectFor(catalog, { id: index.projectId, name: projectName ?? 'default' });
    const name = await freeName(catalog, index);
    const port = index.port === null || usedPorts.has(index.port) ? null : index.port;
    if (port !== null) usedPorts.add(port);
    await catalog.indexes.insert({ ...withoutModelChange(index), name, port });
    adopted.push({ id: index.id, name, project: project.name });
  }
  return adopted;
}

/** While the model of an index is changed, two folders describe it: the vectors that answered last are the index. */
function newestOfEach(described: readonly IndexDescription[]): readonly IndexDescription[] {
  const newest = new Map<string, IndexDescription>();
  const changedAt = ({ index }: IndexDescription) => index.modelChange?.changedAt ?? '';
  for (const each of described) {
    const known = newest.get(each.index.id);
    if (known === undefined || changedAt(each) > changedAt(known)) newest.set(each.index.id, each);
  }
  return [...newest.values()];
}

async function freeName({ indexes }: Catalog, { projectId, name }: Index): Promise<string> {
  const taken = new Set(
    (await indexes.list()).flatMap((each) => (each.projectId === projectId ? [each.name] : [])),
  );
  let free = name;
  for (let number = 1; taken.has(free); number++) free = `${name.slice(0, 35)}-adopted${number}`;
  return free;
}
