// Characters for property tests: fast-check's unit `binary` takes more than a second to prepare.
import fc from 'fast-check';

const SURROGATE_FIRST = 0xd800;
const SURROGATE_LAST = 0xdfff;
const CODE_POINT_MAX = 0x10ffff;

/** Any character of well-formed text, ASCII more often than others. */
export const ANY_CHARACTER = fc
  .oneof(
    fc.nat({ max: 0x7f }),
    fc.nat({ max: SURROGATE_FIRST - 1 }),
    fc.integer({ min: SURROGATE_LAST + 1, max: CODE_POINT_MAX }),
  )
  .map((code) => String.fromCodePoint(code));
