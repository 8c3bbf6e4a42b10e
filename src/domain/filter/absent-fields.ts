// Decides whether the negative operators match records without the field.

/** `$ne` matches only records that have the field with another value. */
export const NOT_EQUAL_MATCHES_ABSENT: boolean = false;

/** `$nin` also matches records without the field. */
export const NOT_IN_MATCHES_ABSENT: boolean = true;
