// The gRPC services as a .proto file, for clients in languages that have no SDK.
import { aliasEndpoints } from '../rest/aliases/alias-endpoints.ts';
import { dataEndpoints } from '../rest/data-endpoints.ts';
import { MESSAGES } from './messages.ts';
import { RPCS, type Rpc, type ServiceName } from './rpcs.ts';

const HEAD = `// The gRPC services of Pinyon, as the official SDKs of other languages call them. Written by \`npm run docs\`.
//
// They are served where the REST interface of an index is. Metadata: \`api-key\`, as over REST. Every method means what the REST
// endpoint named beside it means; status messages are that endpoint's error messages.
syntax = "proto3";

import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
`;

const SERVICES: readonly ServiceName[] = ['VectorService', 'NamespaceAliasService'];

export function protoText(): string {
  const messages = Object.entries(MESSAGES).map(([name, lines]) => messageText(name, lines));
  return [HEAD, ...SERVICES.map(serviceText), ...messages].join('\n');
}

function serviceText(service: ServiceName): string {
  const methods = RPCS.filter((rpc) => rpc.service === service).map(
    (rpc) => `  // ${twinOf(rpc)}\n  rpc ${rpc.name}(${rpc.request}) returns (${rpc.response});`,
  );
  return `service ${service} {\n${methods.join('\n')}\n}\n`;
}

function twinOf({ endpointId }: Rpc): string {
  const twin = [...dataEndpoints, ...aliasEndpoints].find(({ id }) => id === endpointId);
  if (twin === undefined) throw new Error(`no endpoint has the id ${endpointId}`);
  return `${twin.method} ${twin.path}`;
}

function messageText(name: string, lines: readonly string[]): string {
  if (lines.length === 0) return `message ${name} {}\n`;
  const fields = lines.map((line) => `  ${line.replace(/\b(Struct|Timestamp)\b/, 'google.protobuf.$1')};`);
  return `message ${name} {\n${fields.join('\n')}\n}\n`;
}
