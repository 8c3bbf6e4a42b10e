// Quotas: how much a project or an API key may use. Each is optional.

import type { Actor } from './administration/audit.ts';

/** What can be bounded, with the unit last. Rates may be exceeded for a second. */
export const QUOTA_NAMES = [
  'requestsPerSecond',
  'writeMegabytesPerSecond',
  'records',
  'storageMegabytes',
  'indexes',
  'files',
] as const;
export type QuotaName = (typeof QUOTA_NAMES)[number];

/** A key has no records or indexes of its own. */
export const KEY_QUOTA_NAMES = ['requestsPerSecond', 'writeMegabytesPerSecond'] as const;

export const QUOTA_MAX = 999_999_999;

/** How an error message goes on after the number. */
export const QUOTA_UNITS: Readonly<Record<QuotaName, string>> = {
  requestsPerSecond: 'requests per second',
  writeMegabytesPerSecond: 'megabytes of writes per second',
  records: 'records',
  storageMegabytes: 'megabytes on disk',
  indexes: 'indexes',
  files: 'files of assistants',
};

/** Absent: as the settings say; 0: unlimited. */
export type Quota = { readonly [Name in QuotaName]?: number };

export type QuotaKind = 'project' | 'key';

/** Whose quota. */
export interface QuotaSubject {
  readonly kind: QuotaKind;
  readonly id: string;
}

export interface SubjectQuota {
  readonly subject: QuotaSubject;
  readonly quota: Quota;
}

/** What a project uses, each counted only where a quota needs it or a caller asks. */
export interface ProjectUsage {
  readonly records: number;
  readonly storageMegabytes: number;
  readonly indexes: number;
  readonly files: number;
}

/** For administrators. */
export interface QuotaAdministration {
  /** What was set for the subject itself. */
  own(subject: QuotaSubject): Quota;
  /** What holds, settings included. */
  effective(subject: QuotaSubject): Quota;
  usage(projectId: string): Promise<ProjectUsage>;
  /** Replaces a quota. It holds, and is on disk, when it resolves. */
  set(changed: SubjectQuota, organizationId: string, by: Actor): Promise<void>;
}
