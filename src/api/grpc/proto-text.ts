// The vector service as a .proto file, for clients in languages that have no SDK.
import { dataEndpoints } from '../rest/data-endpoints.ts';
import { MESSAGES } from './messages.ts';
import { RPCS, type Rpc, SERVICE } from './rpcs.ts';

const HEAD = `// The vector service of Pinyon, as the official SDKs of other languages call it. Written by \`npm run docs\`.
//
// It is served where the REST interface of an index is. Metadata: \`api-key\`, as over REST. Every method means what the REST
// endpoint named beside it means; status messages are that endpoint's error messages.
syntax = "proto3";

import "google/protobuf/struct.proto";
`;

export function protoText(): string {
  const methods = RPCS.map(
    (rpc) => `  // ${twinOf(rpc)}\n  rpc ${rpc.name}(${rpc.request}) returns (${rpc.response});`,
  );
  const messages = Object.entries(MESSAGES).map(([name, lines]) => messageText(name, lines));
  return [HEAD, `service ${SERVICE} {\n${methods.join('\n')}\n}\n`, ...messages].join('\n');
}

function twinOf({ endpointId }: Rpc): string {
  const twin = dataEndpoints.find(({ id }) => id === endpointId);
  if (twin === undefined) throw new Error(`no data endpoint has the id ${endpointId}`);
  return `${twin.method} ${twin.path}`;
}

function messageText(name: string, lines: readonly string[]): string {
  if (lines.length === 0) return `message ${name} {}\n`;
  const fields = lines.map((line) => `  ${line.replace(/\bStruct\b/, 'google.protobuf.Struct')};`);
  return `message ${name} {\n${fields.join('\n')}\n}\n`;
}
