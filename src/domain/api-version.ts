// API versions: which values the version header may carry, and how they are ordered.

/** Published versions, oldest first. Answers differ by version (docs/decisions/004-versions-and-addresses.md). */
export const API_VERSIONS = [
  '2024-04',
  '2024-07',
  '2024-10',
  '2025-01',
  '2025-04',
  '2025-10',
  '2026-04',
  '2026-07',
] as const;

export type ApiVersion = (typeof API_VERSIONS)[number];

/** The preview of document indexes: as 2026-07, but more lenient about their schemas and searches. */
export const PREVIEW_VERSION = '2026-01.alpha';
/** As 2026-07, but not to assistants (`versionForAssistants`). */
export const UNSTABLE_VERSION = 'unstable';
const PREVIEWED_VERSION: ApiVersion = '2026-07';

/** Aliases, with the published version that each stands for. */
const VERSION_ALIASES: Readonly<Record<string, ApiVersion>> = { '2026-01': '2026-07' };

/** Every value of the header that the server knows. */
export const KNOWN_VERSIONS: readonly string[] = [
  ...API_VERSIONS,
  ...Object.keys(VERSION_ALIASES),
  UNSTABLE_VERSION,
  PREVIEW_VERSION,
];

/** A version that the header names. */
export type NamedVersion = ApiVersion | typeof PREVIEW_VERSION | typeof UNSTABLE_VERSION;

/** The version that a caller requested; `null` when the request had no version header. */
export type RequestedVersion = NamedVersion | null;

export const NEWEST_API_VERSION: ApiVersion = '2026-07';
/** As which requests without a version are answered, except for index objects, which have every key then. */
export const UNNAMED_API_VERSION: ApiVersion = '2025-10';

/** Resolves a header value; `undefined` for an unknown value. */
export function parseApiVersion(value: string): NamedVersion | undefined {
  if (value === PREVIEW_VERSION || value === UNSTABLE_VERSION) return value;
  const alias = Object.hasOwn(VERSION_ALIASES, value) ? VERSION_ALIASES[value] : undefined;
  return API_VERSIONS.find((version) => version === value) ?? alias;
}

/** True when `version` is `since` or newer; a request without a version counts as one of 2025-10. */
export function isAtLeast(version: RequestedVersion, since: ApiVersion): boolean {
  return API_VERSIONS.indexOf(publishedVersion(version)) >= API_VERSIONS.indexOf(since);
}

function publishedVersion(version: RequestedVersion): ApiVersion {
  if (version === null) return UNNAMED_API_VERSION;
  return version === PREVIEW_VERSION || version === UNSTABLE_VERSION ? PREVIEWED_VERSION : version;
}

/** The version that an endpoint is asked in: without one, that which has it first, where that is newer than the default. */
export function versionForEndpoint(version: RequestedVersion, since: ApiVersion): RequestedVersion {
  return version === null && !isAtLeast(null, since) ? since : version;
}

/**
 * The version whose answers a caller of assistants gets. Clients that send `unstable` there are older than the first
 * published version of assistants: an upload answers with the file, a list is whole, and snippets are texts.
 */
export function versionForAssistants(version: RequestedVersion): RequestedVersion {
  return version === UNSTABLE_VERSION ? '2025-01' : version;
}
