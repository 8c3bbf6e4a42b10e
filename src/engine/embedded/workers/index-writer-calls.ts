// Answers calls for staged namespaces and changed records of an index in its writer thread.
import type { ChangedPage } from '../../port/changed-records.ts';
import type { StagedNamespace } from '../../port/staged-namespaces.ts';
import type { OpenIndex } from '../indexing/open-index.ts';
import type { ChangedCall, StagingChange } from './thread-methods.ts';

type IndexWriter = OpenIndex['writer'];

export const NOTHING_CHANGED: ChangedPage = { changed: [], total: 0 };

/** @returns the namespaces that are staged then */
export async function changeStaging(
  { staging }: Pick<IndexWriter, 'staging'>,
  change: StagingChange,
): Promise<readonly StagedNamespace[]> {
  if (change.kind === 'stage') await staging.stage(change.owner, change.namespaces);
  else if (change.kind === 'publish') await staging.publish(change.owner);
  else if (change.kind === 'drop') await staging.drop(change.owner);
  return staging.list();
}

/** @returns the changes that it lists */
export async function answerChanged(
  { changed }: Pick<IndexWriter, 'changed'>,
  call: ChangedCall,
): Promise<ChangedPage> {
  if (call.kind === 'list') return changed.list(call.limit);
  if (call.kind === 'settle') await changed.settle(call.changed);
  else if (call.kind === 'track') await changed.track();
  else await changed.forget();
  return NOTHING_CHANGED;
}
