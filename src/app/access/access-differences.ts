// The changes between two states of access control, for nodes that learn the whole state and not each change.
import type { AccessChange, AccessSnapshot } from '../../catalog/port.ts';

/** Changes that lead from one state to the other; what goes comes first. What both have alike is left out. */
export function accessDifferences(from: AccessSnapshot, to: AccessSnapshot): readonly AccessChange[] {
  return [
    ...missing(from.bindings, to.bindings).map((binding) => ({ kind: 'binding-gone', binding }) as const),
    ...missing(from.keys, to.keys).map(({ id }) => gone('api_key', id)),
    ...missing(from.serviceAccounts, to.serviceAccounts).map(({ id }) => gone('service_account', id)),
    ...missing(from.users, to.users).map(({ id }) => gone('user', id)),
    ...missing(from.projects, to.projects).map(({ id }) => ({ kind: 'project-gone', id }) as const),
    ...changed(from.projects, to.projects).map((project) => ({ kind: 'project', project }) as const),
    ...changed(from.keys, to.keys).map((key) => ({ kind: 'key', key }) as const),
    ...changed(from.serviceAccounts, to.serviceAccounts).map(
      (account) => ({ kind: 'service-account', account }) as const,
    ),
    ...changed(from.users, to.users).map((user) => ({ kind: 'user', user }) as const),
    ...changed(from.bindings, to.bindings).map((binding) => ({ kind: 'binding', binding }) as const),
  ];
}

interface Identified {
  readonly id: string;
}

function missing<Item extends Identified>(from: readonly Item[], to: readonly Item[]): readonly Item[] {
  const left = new Set(to.map(({ id }) => id));
  return from.filter(({ id }) => !left.has(id));
}

/** New ones, and those that are not as they were. */
function changed<Item extends Identified>(from: readonly Item[], to: readonly Item[]): readonly Item[] {
  const known = new Map(from.map((item) => [item.id, textOf(item)]));
  return to.filter((item) => known.get(item.id) !== textOf(item));
}

function textOf(item: Identified): string {
  return JSON.stringify(Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function gone(type: 'api_key' | 'service_account' | 'user', id: string): AccessChange {
  return { kind: 'principal-gone', principal: { type, id } };
}
