// Guarantees of the error bodies, byte for byte.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault, fault } from '../domain/faults.ts';
import { familyOf, faultBody, faultHeaders } from './fault-body.ts';

describe('error bodies', () => {
  const missing = fault('namespace-not-found');

  it('repeat the status in the standard family', () => {
    const expected = '{"status":404,"error":{"code":"NOT_FOUND","message":"Namespace not found"}}';
    assert.equal(JSON.stringify(faultBody('standard', missing)), expected);
  });

  it('carry the numeric code and a list of details in the rpc family', () => {
    const expected = '{"code":5,"message":"Namespace not found","details":[]}';
    assert.equal(JSON.stringify(faultBody('rpc', missing)), expected);
  });

  it('have the standard form, too, where a caller is refused before the endpoint begins', () => {
    for (const condition of ['permission-denied', 'rate-exceeded'] as const) {
      assert.equal(familyOf(condition, 'rpc'), 'both');
      assert.equal(familyOf(condition, 'openai'), 'openai');
    }
    assert.equal(familyOf('unauthenticated', 'rpc'), 'standard');
    assert.equal(familyOf('namespace-not-found', 'rpc'), 'rpc');
  });

  it('carry a separate code for unknown versions in the identity check', () => {
    const unsupported = fault('unsupported-version', { version: 'x', supported: 'y' });
    assert.equal(faultBody('identity', unsupported).code, 'unsupported_api_version');
    assert.equal(faultBody('identity', fault('unauthenticated')).code, 'UNAUTHENTICATED');
  });

  it('have only the message for evaluations', () => {
    assert.deepEqual(faultBody('message', missing), { message: 'Namespace not found' });
  });

  it('carry both forms for vectors and records operations', () => {
    const expected =
      '{"status":404,"error":{"code":"NOT_FOUND","message":"Namespace not found"},"code":5,"message":"Namespace not found","details":[]}';
    assert.equal(JSON.stringify(faultBody('both', missing)), expected);
  });

  it('repeat a reason as a message of the type that they name', () => {
    const taken = new Fault('alias-exists', 'Taken', { metadata: { target_namespace: 'v1' } });
    assert.deepEqual(faultBody('rpc', taken).details, [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'ALIAS_ALREADY_EXISTS',
        metadata: { target_namespace: 'v1' },
        typeUrl: 'type.googleapis.com/google.rpc.ErrorInfo',
        // Tag and length of reason, then of the metadata's entry, its key and its value.
        value: Buffer.concat([
          Buffer.from([0x0a, 20]),
          Buffer.from('ALIAS_ALREADY_EXISTS'),
          Buffer.from([0x1a, 22, 0x0a, 16]),
          Buffer.from('target_namespace'),
          Buffer.from([0x12, 2]),
          Buffer.from('v1'),
        ]).toString('base64'),
      },
    ]);
  });

  it('come with a retry-after header when the fault has a time to retry', () => {
    assert.equal(faultHeaders(new Fault('overloaded', 'busy', { retryAfterSeconds: 2 }))['retry-after'], '2');
    assert.equal('retry-after' in faultHeaders(missing), false);
  });
});
