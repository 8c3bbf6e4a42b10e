// Regions are labels: any that looks like one of its cloud is accepted, unless the operator lists some.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultRegion, requireRegion } from './regions.ts';

const ACCEPTED = {
  aws: [
    'us-east-1',
    'us-west-2',
    'eu-west-1',
    'eu-central-1',
    'ap-southeast-1',
    'ap-northeast-3',
    'us-gov-west-1',
  ],
  gcp: ['us-central1', 'us-east1', 'us-west4', 'europe-west4', 'asia-southeast1', 'northamerica-northeast2'],
  azure: ['eastus2', 'eastus', 'westeurope', 'germanywestcentral', 'southcentralus', 'uksouth'],
};

const REFUSED = {
  aws: [
    '',
    'us-east',
    'us-east1',
    'us-west1',
    'eastus2',
    'invalid-region',
    'us-east-1 ',
    'US-EAST-1',
    'us-mars-1',
    'us-east-999',
  ],
  gcp: ['us-east-1', 'eastus2', 'us-moon1', 'us', 'central1', 'us-central'],
  azure: ['us-east-1', 'us-east1', 'mars', 'eastus22', 'east us'],
  moon: ['us-east-1'],
};

test('accepts every region that has the form of its cloud, and no other', () => {
  for (const [cloud, regions] of Object.entries(ACCEPTED)) {
    for (const region of regions) assert.deepEqual(requireRegion(null, cloud, region), { cloud, region });
  }
  for (const [cloud, regions] of Object.entries(REFUSED)) {
    for (const region of regions) {
      const message = `Resource cloud: ${cloud} region: ${region} not found.`;
      assert.throws(() => requireRegion(null, cloud, region), { status: 404, message });
    }
  }
});

test('accepts only listed regions where the operator lists some', () => {
  const listed = [{ cloud: 'gcp', region: 'europe-west4' }] as const;
  assert.deepEqual(requireRegion(listed, 'gcp', 'europe-west4'), listed[0]);
  assert.throws(() => requireRegion(listed, 'gcp', 'us-east1'), { status: 404 });
});

test('defaults to us-east-1 of aws, or to the first listed region without it', () => {
  const usual = { cloud: 'aws', region: 'us-east-1' } as const;
  const other = { cloud: 'azure', region: 'eastus2' } as const;
  assert.deepEqual(
    [defaultRegion(null), defaultRegion([other, usual]), defaultRegion([other])],
    [usual, usual, other],
  );
});
