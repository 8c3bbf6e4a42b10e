// Bounds of backups, named once, with their units.

/** Before 2026-07, when names had no alphabet. */
export const BACKUP_LABEL_CHARS_MAX = 255;
export const BACKUP_DESCRIPTION_CHARS_MAX = 1_000;
export const BACKUP_PAGE_MIN = 1;
export const BACKUP_PAGE_MAX = 100;
export const BACKUP_PAGE_DEFAULT = 100;
/** Up to 2026-04. */
export const BACKUP_PAGE_DEFAULT_OLDER = 10;
export const RETENTION_DAYS_MIN = 1;
/** A hundred years: far enough, and a date still. */
export const RETENTION_DAYS_MAX = 36_500;
