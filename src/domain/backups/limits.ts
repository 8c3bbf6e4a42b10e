// Limits of backups.

/** Before 2026-07, when names could have any characters. */
export const BACKUP_LABEL_CHARS_MAX = 255;
export const BACKUP_DESCRIPTION_CHARS_MAX = 1_000;
export const BACKUP_PAGE_MIN = 1;
export const BACKUP_PAGE_MAX = 100;
export const BACKUP_PAGE_DEFAULT = 100;
/** Up to 2026-04. */
export const BACKUP_PAGE_DEFAULT_OLDER = 10;
export const RETENTION_DAYS_MIN = 1;
/** A hundred years: long enough, and still a valid date. */
export const RETENTION_DAYS_MAX = 36_500;
