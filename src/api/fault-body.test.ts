// The three error bodies, byte for byte.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault, fault } from '../domain/faults.ts';
import { faultBody, faultHeaders } from './fault-body.ts';

describe('error bodies', () => {
  const missing = fault('namespace-not-found');

  it('of the standard family repeat the status', () => {
    const expected = '{"status":404,"error":{"code":"NOT_FOUND","message":"Namespace not found"}}';
    assert.equal(JSON.stringify(faultBody('standard', missing)), expected);
  });

  it('of the rpc family carry the numeric code and a list of details', () => {
    const expected = '{"code":5,"message":"Namespace not found","details":[]}';
    assert.equal(JSON.stringify(faultBody('rpc', missing)), expected);
  });

  it('of the identity check carry a code of their own for unknown versions', () => {
    const unsupported = fault('unsupported-version', { version: 'x', supported: 'y' });
    assert.equal(faultBody('identity', unsupported).code, 'unsupported_api_version');
    assert.equal(faultBody('identity', fault('unauthenticated')).code, 'UNAUTHENTICATED');
  });

  it('of evaluations have nothing but the message', () => {
    assert.deepEqual(faultBody('message', missing), { message: 'Namespace not found' });
  });

  it('of vectors and records operations carry both, for readers of the specification and of the public API', () => {
    const expected =
      '{"status":404,"error":{"code":"NOT_FOUND","message":"Namespace not found"},"code":5,"message":"Namespace not found","details":[]}';
    assert.equal(JSON.stringify(faultBody('both', missing)), expected);
  });

  it('come with a retry-after header when the fault says when to come back', () => {
    assert.equal(faultHeaders(new Fault('overloaded', 'busy', 2))['retry-after'], '2');
    assert.equal('retry-after' in faultHeaders(missing), false);
  });
});
