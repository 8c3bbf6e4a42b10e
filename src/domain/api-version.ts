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

/** Aliases, with the published version that each stands for. */
export const VERSION_ALIASES: Readonly<Record<string, ApiVersion>> = {
  '2026-01': '2026-07',
  '2026-01.alpha': '2026-07',
  unstable: '2026-07',
};

/** The version that a caller requested; `null` when the request had no version header. */
export type RequestedVersion = ApiVersion | null;

export const NEWEST_API_VERSION: ApiVersion = '2026-07';

/** Resolves a header value to a published version; `undefined` for an unknown value. */
export function parseApiVersion(value: string): ApiVersion | undefined {
  const alias = Object.hasOwn(VERSION_ALIASES, value) ? VERSION_ALIASES[value] : undefined;
  return API_VERSIONS.find((version) => version === value) ?? alias;
}

/** True when `version` is `since` or newer; a request without a version counts as the newest. */
export function isAtLeast(version: RequestedVersion, since: ApiVersion): boolean {
  return version === null || API_VERSIONS.indexOf(version) >= API_VERSIONS.indexOf(since);
}
