// Files into an index and out of it.
import { may } from '../../api/session.ts';
import type { Index } from '../../api/types.ts';
import { Empty } from '../../ui/feedback.tsx';
import { Export } from './export.tsx';
import { Import } from './import.tsx';
import { Migrate } from './migrate.tsx';
import { ServerImports } from './server-imports.tsx';

export function Transfer({ index }: { readonly index: Index }) {
  const mayImport = may('data_plane::vectors::write');
  const mayExport = may('data_plane::imports::write');
  if (!mayImport && !mayExport) return <Empty title="Your role neither imports nor exports." />;
  return (
    <>
      {mayImport && <Import index={index} />}
      {mayImport && <Migrate index={index} />}
      {mayExport && <ServerImports index={index} />}
      {mayExport && <Export index={index} />}
    </>
  );
}
