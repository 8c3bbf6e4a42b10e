// The namespaces of an index with their counts, page by page.
import { useState } from 'preact/hooks';
import { callIndex, isAddressable } from '../../api/call.ts';
import { may } from '../../api/session.ts';
import type { Index } from '../../api/types.ts';
import { hrefOf, route, setValues } from '../../router.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty, Shown } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { count, plural } from '../../ui/format.ts';
import { Pager, usePages } from '../../ui/pager.tsx';
import { useResource } from '../../ui/resource.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { isDocumentIndex } from './index-kind.ts';
import { WayBack } from './way-back.tsx';

interface Namespace {
  readonly name: string;
  readonly record_count: number;
}

interface NamespacePage {
  readonly namespaces: readonly Namespace[];
  readonly pagination?: { readonly next?: string };
}

export function Namespaces({ index }: { readonly index: Index }) {
  const [deleting, setDeleting] = useState<Namespace>();
  const { prefix = '' } = route.value.values;
  const pages = usePages(`${index.name} ${prefix}`);
  const { token } = pages;
  const mayRead = may('data_plane::namespaces::read');
  const page = useResource(mayRead ? `namespaces ${index.name} ${prefix} ${token}` : '', async (signal) => {
    const query = {
      ...(prefix === '' ? {} : { prefix }),
      ...(token === undefined ? {} : { paginationToken: token }),
    };
    return (await callIndex<NamespacePage>(index.name, 'GET', 'namespaces', { query, signal })).body;
  });
  if (!mayRead) return <Empty title="Your role does not read namespaces." />;
  const remove = async ({ name }: Namespace) => {
    await deleteNamespace(index, name);
    page.reload();
  };
  return (
    <>
      <Input
        label="Beginning of the names"
        value={prefix}
        onValue={(value) => setValues({ prefix: value })}
        autocomplete="off"
        spellcheck={false}
      />
      <Shown of={page}>
        {({ namespaces, pagination }) => (
          <>
            {namespaces.length === 0 ? (
              <Empty title={prefix === '' ? 'No namespaces yet.' : 'No such namespaces.'}>
                The first record of a namespace makes it.
              </Empty>
            ) : (
              <NamespaceTable index={index} namespaces={namespaces} onDelete={setDeleting} />
            )}
            <Pager pages={pages} next={pagination?.next}>
              {plural(namespaces.length, 'namespace')}
            </Pager>
          </>
        )}
      </Shown>
      {deleting !== undefined && (
        <Confirm
          title="Delete the namespace"
          name={deleting.name}
          action="Delete"
          onConfirm={() => remove(deleting)}
          onClose={() => setDeleting(undefined)}
        >
          This deletes its {plural(deleting.record_count, 'record')}. <WayBack index={index} />
        </Confirm>
      )}
    </>
  );
}

/** @throws Problem */
async function deleteNamespace(index: Index, name: string): Promise<void> {
  // Deleting all records of a namespace deletes it, and names it in the body.
  if (!isAddressable(name) && !isDocumentIndex(index)) {
    const body = { namespace: name, deleteAll: true };
    await callIndex(index.name, 'POST', 'vectors/delete', { body });
  } else await callIndex(index.name, 'DELETE', `namespaces/${encodeURIComponent(name)}`);
}

interface NamespaceTableProps {
  readonly index: Index;
  readonly namespaces: readonly Namespace[];
  readonly onDelete: (namespace: Namespace) => void;
}

function NamespaceTable({ index, namespaces, onDelete }: NamespaceTableProps) {
  const columns: readonly (Column<Namespace> | false)[] = [
    {
      title: 'Name',
      kind: 'long',
      cell: ({ name }) => (
        <a href={hrefOf(['indexes', index.name], { ns: name })}>
          <bdi>{name}</bdi>
        </a>
      ),
    },
    { title: 'Records', kind: 'number', cell: (namespace) => count(namespace.record_count) },
    may('data_plane::namespaces::write') && {
      title: 'Actions',
      kind: 'actions',
      cell: (namespace) => (
        <button
          type="button"
          class="small"
          aria-label={`Delete ${namespace.name}`}
          onClick={() => onDelete(namespace)}
        >
          Delete
        </button>
      ),
    },
  ];
  return <Table rows={namespaces} columns={columns} keyOf={({ name }) => name} hasCards={false} />;
}
