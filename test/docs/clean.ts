// Empties a server between pages, so that each page may use the names that it likes.
import type { Service } from '../support/service.ts';
import { until } from '../support/until.ts';

interface Listed {
  readonly indexes?: readonly { readonly name: string; readonly deletion_protection?: string }[];
  readonly assistants?: readonly { readonly name: string }[];
}

/** Indexes and assistants; what else a page leaves has ids or names that no other page uses. */
export async function clean(service: Service): Promise<void> {
  await removeAll(service, '/assistant/assistants', ({ assistants = [] }) =>
    assistants.map(({ name }) => name),
  );
  await removeAll(service, '/indexes', ({ indexes = [] }) => indexes.map(({ name }) => name));
}

async function removeAll(
  service: Service,
  path: string,
  namesIn: (body: Listed) => readonly string[],
): Promise<void> {
  const list = async () => namesIn((await service.call('GET', path)).body as Listed);
  for (const name of await list()) await service.call('DELETE', `${path}/${name}`);
  await until(async () => (await list()).length === 0, `the end of all ${path}`);
}
