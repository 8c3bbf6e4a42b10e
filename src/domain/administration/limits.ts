// Bounds of organization administration, named once, with their units.

/** Names of organizations and projects, in characters. */
export const PLACE_NAME_CHARS_MAX = 512;
/** Names of API keys and service accounts, in characters. */
export const CREDENTIAL_NAME_CHARS_MAX = 80;
export const EMAIL_CHARS_MAX = 254;
export const INVITE_BINDINGS_MIN = 1;
export const INVITE_BINDINGS_MAX = 100;
export const SERVICE_ACCOUNT_BINDINGS_MAX = 100;
export const INVITE_LIFE_MS = 7 * 24 * 3_600_000;
/** Creations and resends of invites together, per organization. */
export const INVITES_PER_HOUR_MAX = 100;
export const ADMIN_PAGE_MIN = 1;
export const ADMIN_PAGE_MAX = 100;
export const ADMIN_PAGE_DEFAULT = 100;
export const CURSOR_LIFE_MS = 3_600_000;
export const ACCESS_TOKEN_SECONDS = 1_800;
export const SESSION_TOKEN_SECONDS = 3_600;
