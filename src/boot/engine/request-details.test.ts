// Guarantees of packed requests: an engine thread runs what the main thread received.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { DataRequest } from '../../api/data-request.ts';
import { mintProjectAccess } from '../../domain/access.ts';
import { sampleProfile } from '../../engine/conformance/sample-data.ts';
import { packDetails, unpackRequest } from './request-details.ts';

const SEED = 17;
const INDEX = sampleProfile();

const details = fc.record(
  {
    endpointId: fc.string(),
    access: fc.record(
      {
        ...{ organizationId: fc.uuid(), projectId: fc.uuid(), principalId: fc.uuid() },
        principalType: fc.constantFrom('user', 'service_account'),
      },
      { requiredKeys: ['organizationId', 'projectId', 'principalId'] },
    ),
    version: fc.constantFrom(null, '2025-10' as const),
    params: fc.dictionary(fc.string(), fc.string()),
    query: fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.array(fc.string()))),
    requestId: fc.uuid(),
    explain: fc.boolean(),
    recall: fc.string(),
    rpc: fc.string(),
    answerBytesMax: fc.nat(),
  },
  { requiredKeys: ['endpointId', 'access', 'version', 'params', 'query', 'requestId'] },
);

test('restores a request, whatever its details', () => {
  fc.assert(
    fc.property(details, fc.uint8Array(), ({ access, ...rest }, piece) => {
      const request: DataRequest = {
        ...rest,
        access: mintProjectAccess(access),
        index: INDEX,
        body: [piece],
      };
      const task = structuredClone({ details: packDetails(request), index: INDEX, body: [piece] });
      assert.deepEqual(unpackRequest(task), structuredClone(request));
    }),
    { seed: SEED },
  );
});
