// The envelope of pages of lists: the rows, and the cursor of the next page.
import { type TSchema, Type } from '../schema/type.ts';

/** @param token an example of a cursor */
export function pageEnvelope<Item extends TSchema>(item: Item, token: string) {
  return Type.Object({
    data: Type.Array(item),
    pagination: Type.Union([Type.Object({ next: Type.String() }), Type.Null()], {
      description: 'Null on the last page.',
      examples: [{ next: token }],
    }),
  });
}
