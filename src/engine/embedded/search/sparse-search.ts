// Exact search by sparse vectors in shared memory.
import type { SparseVector } from '../../port/reader-and-writer.ts';
import type { PostingListSearch } from '../sparse/posting-list-search.ts';
import { globalSlot, type Selection } from './selection.ts';
import type { TopK } from './top-k.ts';

/** Opens the posting lists of a segment for one query. */
export function openPostingLists(selection: Selection, sparse: SparseVector): PostingListSearch {
  const { workspace, layout, snapshot, view, bitmap } = selection;
  if (layout.postings === null) throw new Error('a sparse search needs sparse parts');
  return view.postings.open({
    kernel: workspace.kernel,
    sparse,
    bitmap: bitmap.byteOffset,
    slotCount: snapshot.slotCount,
    scratch: layout.postings,
  });
}

/** Offers the best of a segment, with all that tie with the last, to `top`. */
export function searchSparse(selection: Selection, sparse: SparseVector, top: TopK): void {
  openPostingLists(selection, sparse).search({
    capacity: top.capacity,
    get bound() {
      return top.bound;
    },
    offer: (key, slot) => top.offer(key, globalSlot(selection, slot)),
  });
}
