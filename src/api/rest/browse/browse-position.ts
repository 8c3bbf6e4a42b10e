// Where a listing goes on, with how many records it has: counting may go through all of them, which is done once.
import { invalid } from '../../../domain/faults.ts';

/** The place of a page that is not the first. */
export interface BrowsePosition {
  /** Of the listing, as its first page said; null where that counted none. */
  readonly total: number | null;
  /** As the page before ended. */
  readonly place: string;
}

/** As one text, for a token. */
export function positionText({ total, place }: BrowsePosition): string {
  return `${total ?? ''} ${place}`;
}

/** Null for the first page. @throws invalid-argument */
export function positionIn(text: string | null): BrowsePosition | null {
  if (text === null) return null;
  const [, total = '', place = ''] = /^(\d{0,15}) (.*)$/s.exec(text) ?? refused();
  return { total: total === '' ? null : Number(total), place };
}

/** Tokens that a listing gives have no other form, but their digest is no signature. */
function refused(): never {
  throw invalid('pagination_token is not a token of this listing');
}
