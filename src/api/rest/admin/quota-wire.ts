// The wire form of quotas and of what counts against them.
import { invalid } from '../../../domain/faults.ts';
import {
  KEY_QUOTA_NAMES,
  type ProjectUsage,
  QUOTA_MAX,
  QUOTA_NAMES,
  type Quota,
  type QuotaName,
} from '../../../domain/quotas.ts';
import { quoted } from '../../../domain/quoted.ts';
import { type Static, Type } from '../../schema/type.ts';

/** Names on the wire, in the order of the reference. */
const WIRE_NAMES = {
  requestsPerSecond: 'requests_per_second',
  writeMegabytesPerSecond: 'write_megabytes_per_second',
  records: 'records',
  storageMegabytes: 'storage_megabytes',
  indexes: 'indexes',
  files: 'files',
} as const satisfies Record<QuotaName, string>;

const Bound = Type.Union([Type.Integer({ minimum: 0, maximum: QUOTA_MAX }), Type.Null()]);

const RATES = { requests_per_second: Type.Optional(Bound), write_megabytes_per_second: Type.Optional(Bound) };

// Closed: the body replaces the quota, so that a misspelt name would lift the bound it was meant to set.
const BODY = {
  description: 'Replaces the quota. Absent or null: as the settings of the server say; 0: no limit.',
  additionalProperties: false,
};

export const KeyQuotaBody = Type.Object(RATES, BODY);

export const ProjectQuotaBody = Type.Object(
  {
    ...RATES,
    records: Type.Optional(Bound),
    storage_megabytes: Type.Optional(Bound),
    indexes: Type.Optional(Bound),
    files: Type.Optional(Bound),
  },
  BODY,
);

const Rates = Type.Object({
  requests_per_second: Bound,
  write_megabytes_per_second: Bound,
});

const Bounds = Type.Object({
  ...Rates.properties,
  records: Bound,
  storage_megabytes: Bound,
  indexes: Bound,
  files: Bound,
});

const OWN = 'What was set for it; null where the settings of the server hold.';
const EFFECTIVE = 'What holds, settings included; null for no limit.';

export const KeyQuotaObject = Type.Object(
  {
    quota: Type.Object(Rates.properties, { description: OWN }),
    effective: Type.Object(Rates.properties, { description: EFFECTIVE }),
  },
  {
    title: 'KeyQuota',
    examples: [
      {
        quota: { requests_per_second: 100, write_megabytes_per_second: null },
        effective: { requests_per_second: 100, write_megabytes_per_second: null },
      },
    ],
  },
);

const QUOTA_EXAMPLE = {
  requests_per_second: 500,
  write_megabytes_per_second: 20,
  records: 1_000_000,
  storage_megabytes: null,
  indexes: 10,
  files: null,
};

export const ProjectQuotaObject = Type.Object(
  {
    quota: Type.Object(Bounds.properties, { description: OWN }),
    effective: Type.Object(Bounds.properties, { description: EFFECTIVE }),
    usage: Type.Object(
      {
        records: Type.Integer(),
        storage_megabytes: Type.Number(),
        indexes: Type.Integer(),
        files: Type.Integer(),
      },
      { description: 'What the project uses now.' },
    ),
  },
  {
    title: 'ProjectQuota',
    examples: [
      {
        quota: QUOTA_EXAMPLE,
        effective: QUOTA_EXAMPLE,
        usage: { records: 120_000, storage_megabytes: 412.5, indexes: 3, files: 0 },
      },
    ],
  },
);

/** @throws invalid-argument for a bound out of range */
export function quotaOfWire(body: Static<typeof ProjectQuotaBody>): Quota {
  const quota: { -readonly [Name in QuotaName]?: number } = {};
  for (const name of QUOTA_NAMES) {
    const max = body[WIRE_NAMES[name]];
    if (max === undefined || max === null) continue;
    if (!Number.isInteger(max) || max < 0 || max > QUOTA_MAX)
      throw invalid(
        `${WIRE_NAMES[name]} must be a whole number from 0 to ${QUOTA_MAX}, or null, got ${quoted(JSON.stringify(max))}`,
      );
    quota[name] = max;
  }
  return quota;
}

export function projectQuotaToWire(own: Quota, effective: Quota, usage: ProjectUsage) {
  const { storageMegabytes, ...counts } = usage;
  return {
    quota: boundsToWire(own, QUOTA_NAMES),
    effective: boundsToWire(unlimited(effective), QUOTA_NAMES),
    usage: { ...counts, storage_megabytes: Math.round(storageMegabytes * 10) / 10 },
  };
}

export function keyQuotaToWire(own: Quota, effective: Quota) {
  return {
    quota: boundsToWire(own, KEY_QUOTA_NAMES),
    effective: boundsToWire(unlimited(effective), KEY_QUOTA_NAMES),
  };
}

function boundsToWire(quota: Quota, names: readonly QuotaName[]) {
  return Object.fromEntries(names.map((name) => [WIRE_NAMES[name], quota[name] ?? null]));
}

/** Without the zeros, which mean no limit. */
function unlimited(quota: Quota): Quota {
  return Object.fromEntries(Object.entries(quota).filter(([, max]) => max > 0));
}
