// The clouds and regions that an index can name. On one server they are mere labels, but clients require them.
import { fault } from './faults.ts';
import type { Cloud } from './index-model.ts';

export interface Region {
  readonly cloud: Cloud;
  readonly region: string;
}

export const DEFAULT_REGIONS: readonly Region[] = [
  { cloud: 'aws', region: 'us-east-1' },
  { cloud: 'aws', region: 'us-west-2' },
  { cloud: 'aws', region: 'eu-west-1' },
  { cloud: 'aws', region: 'eu-central-1' },
  { cloud: 'aws', region: 'ap-southeast-1' },
  { cloud: 'gcp', region: 'us-central1' },
  { cloud: 'gcp', region: 'europe-west4' },
  { cloud: 'azure', region: 'eastus2' },
];

/** @throws region-not-found */
export function requireRegion(offered: readonly Region[], cloud: string, region: string): Region {
  const found = offered.find((one) => one.cloud === cloud && one.region === region);
  if (found === undefined) throw fault('region-not-found', { cloud, region });
  return found;
}

/** Returns the default region. `offered` is never empty. */
export function defaultRegion(offered: readonly Region[]): Region {
  const usual = offered.find(({ cloud, region }) => cloud === 'aws' && region === 'us-east-1');
  const chosen = usual ?? offered[0];
  if (chosen === undefined) throw new Error('The list of regions is empty.');
  return chosen;
}
