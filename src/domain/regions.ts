// The clouds and regions that an index can name. On one server they are mere labels, but clients require them.
import { fault } from './faults.ts';
import { CLOUDS, type Cloud } from './index-model.ts';
import { quoted } from './quoted.ts';

export interface Region {
  readonly cloud: Cloud;
  readonly region: string;
}

/** The regions that an index may name; null: any that has the form of its cloud's regions. A list is never empty. */
export type OfferedRegions = readonly Region[] | null;

const DIRECTION = '(?:east|west|north|south|central)';

/** The form of each cloud's regions. Lists of real regions would be out of date soon, and the label has no effect. */
const FORMS: Readonly<Record<Cloud, RegExp>> = {
  /** As `us-east-1`, `ap-southeast-2`, `us-gov-west-1`. */
  aws: new RegExp(`^[a-z]{2}(?:-[a-z]{3,4})?-${DIRECTION}{1,2}-\\d{1,2}$`),
  /** As `us-central1`, `northamerica-northeast2`. */
  gcp: new RegExp(`^[a-z]{2,12}-${DIRECTION}{1,2}\\d{1,2}$`),
  /** As `eastus2`, `germanywestcentral`. */
  azure: new RegExp(`^(?=.*${DIRECTION})[a-z]{5,30}\\d?$`),
};

const USUAL: Region = { cloud: 'aws', region: 'us-east-1' };

/** @throws region-not-found */
export function requireRegion(offered: OfferedRegions, cloud: string, region: string): Region {
  const found =
    offered === null
      ? wellFormed(cloud, region)
      : offered.find((one) => one.cloud === cloud && one.region === region);
  if (found === undefined) throw fault('region-not-found', { cloud: quoted(cloud), region: quoted(region) });
  return found;
}

/** Returns the default region. */
export function defaultRegion(offered: OfferedRegions): Region {
  if (offered === null) return USUAL;
  const usual = offered.find(({ cloud, region }) => cloud === USUAL.cloud && region === USUAL.region);
  const chosen = usual ?? offered[0];
  if (chosen === undefined) throw new Error('The list of regions is empty.');
  return chosen;
}

function wellFormed(cloud: string, region: string): Region | undefined {
  const known = CLOUDS.find((each) => each === cloud);
  return known !== undefined && FORMS[known].test(region) ? { cloud: known, region } : undefined;
}
