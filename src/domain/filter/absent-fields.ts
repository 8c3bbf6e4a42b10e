// Whether the negative operators match records without the field; the one place this is decided.

/** `$ne` selects only records that have the field with another value. */
export const NOT_EQUAL_MATCHES_ABSENT: boolean = false;

/** `$nin` also selects records without the field. */
export const NOT_IN_MATCHES_ABSENT: boolean = true;
