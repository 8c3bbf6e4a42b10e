// Creates a throw-away certificate for localhost, so that TLS tests need neither files nor another program.
import { generateKeyPairSync, sign } from 'node:crypto';
import type { TlsFiles } from '../connections/protocol-handlers.ts';

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const SEQUENCE = 0x30;
const SET = 0x31;
const CONTEXT_0 = 0xa0;
const CONTEXT_3 = 0xa3;
const SAN_DNS_NAME = 0x82;
const SAN_IP_ADDRESS = 0x87;

const ECDSA_WITH_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex');
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const SUBJECT_ALTERNATIVE_NAME = Buffer.from('0603551d11', 'hex');

/** Valid for localhost and 127.0.0.1, until 2049. */
export function selfSigned(): TlsFiles {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(SEQUENCE, ECDSA_WITH_SHA256);
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8_STRING, text('localhost')))));
  const validity = der(SEQUENCE, der(UTC_TIME, text('240101000000Z')), der(UTC_TIME, text('491231235959Z')));
  const names = der(
    SEQUENCE,
    der(SAN_DNS_NAME, text('localhost')),
    der(SAN_IP_ADDRESS, Buffer.from([127, 0, 0, 1])),
  );
  const contents = der(
    SEQUENCE,
    der(CONTEXT_0, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([1])),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(CONTEXT_3, der(SEQUENCE, der(SEQUENCE, SUBJECT_ALTERNATIVE_NAME, der(OCTET_STRING, names)))),
  );
  const signature = der(BIT_STRING, Buffer.from([0]), sign('sha256', contents, privateKey));
  const certificate = der(SEQUENCE, contents, algorithm, signature).toString('base64');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function text(value: string): Buffer {
  return Buffer.from(value, 'utf8');
}

/** One value in DER: tag, length, content. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
