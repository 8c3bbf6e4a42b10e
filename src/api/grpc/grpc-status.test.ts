// Guarantees of the status headers of gRPC responses.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault, fault } from '../../domain/faults.ts';
import { statusHeaders } from './grpc-status.ts';

/** A length-delimited field of protobuf, shorter than 128 bytes. */
function part(number: number, content: Uint8Array | string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
}

describe('the status headers of a gRPC response', () => {
  it('carry a code and a message alone for a fault without a reason', () => {
    assert.deepEqual(statusHeaders(fault('namespace-not-found')), {
      'grpc-status': '5',
      'grpc-message': 'Namespace not found',
    });
  });

  it('carry a reason as google.rpc.ErrorInfo in the details of a google.rpc.Status', () => {
    const metadata = { target_namespace: 'v1' };
    const headers = statusHeaders(new Fault('alias-exists', 'Taken', { metadata }));
    const entry = Buffer.concat([part(1, 'target_namespace'), part(2, 'v1')]);
    const info = Buffer.concat([part(1, 'ALIAS_ALREADY_EXISTS'), part(3, entry)]);
    const any = Buffer.concat([part(1, 'type.googleapis.com/google.rpc.ErrorInfo'), part(2, info)]);
    const status = Buffer.concat([Buffer.from([0x08, 6]), part(2, 'Taken'), part(3, any)]);
    assert.deepEqual(headers, {
      'grpc-status': '6',
      'grpc-message': 'Taken',
      'grpc-status-details-bin': status.toString('base64'),
    });
  });
});
