// Rows that are copies of each other, as far as the codes tell by which a search measures them.
import { NODE_CODE_BITS } from '../constants';
import { isByNodeCodes } from './graph-node-codes';
import { nodeAddress, nodeCodeBytes, nodeCodeOffset, rowAddresses, stride } from './graph-state';

/** True when two rows at the same distance have equal codes; where nodes are measured, rows are not read. */
export function areCopies(a: u32, b: u32): bool {
  if (isByNodeCodes()) {
    return areEqual(nodeAddress(a) + nodeCodeOffset, nodeAddress(b) + nodeCodeOffset, NODE_CODE_BITS + nodeCodeBytes);
  }
  return areEqual(<usize>(rowAddresses(a) & 0xffffffff), <usize>(rowAddresses(b) & 0xffffffff), stride);
}

/** Compares a multiple of 8 bytes. */
@inline
function areEqual(a: usize, b: usize, bytes: usize): bool {
  for (let at: usize = 0; at < bytes; at += 8) if (load<u64>(a + at) != load<u64>(b + at)) return false;
  return true;
}
