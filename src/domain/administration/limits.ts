// Limits of organization administration.

/** Characters of an organization's or project's name. */
export const PLACE_NAME_CHARS_MAX = 512;
/** Characters of the name of an API key or service account. */
export const CREDENTIAL_NAME_CHARS_MAX = 80;
export const EMAIL_CHARS_MAX = 254;
export const INVITE_BINDINGS_MIN = 1;
export const INVITE_BINDINGS_MAX = 100;
export const SERVICE_ACCOUNT_BINDINGS_MAX = 100;
export const INVITE_LIFE_MS = 7 * 24 * 3_600_000;
/** Invites created and resent, per organization. */
export const INVITES_PER_HOUR_MAX = 100;
export const ADMIN_PAGE_MIN = 1;
export const ADMIN_PAGE_MAX = 100;
export const ADMIN_PAGE_DEFAULT = 100;
export const CURSOR_LIFE_MS = 3_600_000;
export const PASSWORD_CHARS_MIN = 12;
export const PASSWORD_CHARS_MAX = 1_024;
export const ACCESS_TOKEN_SECONDS = 1_800;
export const SESSION_TOKEN_SECONDS = 3_600;
/** The life of a session of the console since its last request, and since it was opened. */
export const SESSION_IDLE_SECONDS = 3_600;
export const SESSION_SECONDS_MAX = 12 * 3_600;
/** The life of the code in the link that signs the owner in. */
export const SIGN_IN_CODE_SECONDS = 24 * 3_600;
