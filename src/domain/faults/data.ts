// Conditions of the data plane: records, namespaces, search, imports, exports.
import {
  DATA_REQUEST_BYTES_MAX,
  DOCUMENT_BYTES_MAX,
  FETCH_BYTES_MAX,
  METADATA_BYTES_MAX,
  RESPONSE_BYTES_MAX,
} from '../limits.ts';
import { entry, type FaultEntry } from './entry.ts';

/** The interface calls 2^20 bytes a megabyte. */
const MEGABYTE = 2 ** 20;
const REQUEST_MEGABYTES = DATA_REQUEST_BYTES_MAX / MEGABYTE;
const RESPONSE_MEGABYTES = RESPONSE_BYTES_MAX / MEGABYTE;
const FETCH_MEGABYTES = FETCH_BYTES_MAX / MEGABYTE;

export const DATA_FAULTS = {
  'unknown-host': entry(
    404,
    'NOT_FOUND',
    "The host or port belongs to no index of the key's project. An index of another project gives the same response.",
    'No index is served at {host}.',
  ),
  'index-not-ready': entry(
    503,
    'UNAVAILABLE',
    'The index is initializing.',
    'Index {name} is not ready yet.',
  ),
  'index-check-not-found': entry(
    404,
    'NOT_FOUND',
    'A check of the index was never requested.',
    'No check of index {index} found.',
  ),
  'index-damaged': entry(
    503,
    'UNAVAILABLE',
    'The files of the index are damaged on the disk of the server. Other indexes are served.',
    'Index {name} is damaged on the disk of the server and not served. The log of the server names the file.',
  ),
  'storage-missing': entry(
    503,
    'UNAVAILABLE',
    'The index has no files on the disk of the server. It is served as soon as they are there.',
    'Index {name} has no files on the disk of the server and is not served. The log of the server names their folder.',
  ),
  'record-damaged': entry(
    503,
    'UNAVAILABLE',
    'The request needs a record that is damaged on the disk of the server. Other records are served.',
    'Index {name} has a damaged record that this request needs. The log of the server names it.',
  ),
  'reads-paused': entry(
    400,
    'FAILED_PRECONDITION',
    'Dedicated read capacity has zero replicas.',
    'Reads on index {name} are paused: its read capacity has 0 replicas.',
  ),
  'dimension-mismatch': entry(
    400,
    'INVALID_ARGUMENT',
    'The dimension of a vector differs from that of the index.',
    'Vector dimension {actual} does not match the dimension of the index {expected}',
  ),
  'zero-vector': entry(
    400,
    'INVALID_ARGUMENT',
    'A dense vector has no component of magnitude 1e-8 or more.',
    "Dense vectors must contain at least one non-zero value. Vector ID '{id}' contains only zeros",
  ),
  'empty-sparse-vector': entry(
    400,
    'INVALID_ARGUMENT',
    'A sparse vector is empty.',
    'Sparse vector must contain at least one value',
  ),
  'sparse-unsupported': entry(
    400,
    'INVALID_ARGUMENT',
    'A query has sparse values on a dense index whose metric is not dotproduct.',
    'Index configuration does not support sparse values - only indexes that are sparse or using dotproduct are supported',
  ),
  'bad-metadata-value': entry(
    400,
    'INVALID_ARGUMENT',
    'A metadata value is null, nested or of mixed type.',
    "Metadata value must be a string, number, boolean or list of strings, got '{value}' for field '{field}'",
  ),
  'metadata-too-big': entry(
    400,
    'INVALID_ARGUMENT',
    `The metadata of a record exceeds ${METADATA_BYTES_MAX} bytes.`,
    `Metadata size is {bytes} bytes, which exceeds the limit of ${METADATA_BYTES_MAX} bytes per vector`,
  ),
  'documents-too-big': entry(
    413,
    'PAYLOAD_TOO_LARGE',
    `A request with documents is over ${DATA_REQUEST_BYTES_MAX} bytes.`,
    `Request size is {bytes} bytes, which exceeds the limit of ${DATA_REQUEST_BYTES_MAX} bytes`,
  ),
  'document-too-big': entry(
    413,
    'PAYLOAD_TOO_LARGE',
    `A document is over ${DOCUMENT_BYTES_MAX} bytes.`,
    `Document '{id}' has {bytes} bytes, which exceeds the limit of ${DOCUMENT_BYTES_MAX} bytes per document`,
  ),
  'document-metadata-too-big': entry(
    400,
    'INVALID_ARGUMENT',
    `The metadata of a document, without its text fields, is over ${METADATA_BYTES_MAX} bytes.`,
    `Metadata of document '{id}' has {bytes} bytes without text fields, which exceeds the limit of ${METADATA_BYTES_MAX} bytes`,
  ),
  'document-field-missing': entry(
    400,
    'INVALID_ARGUMENT',
    'A document lacks a field that its index requires: the dense vector, or a text to embed.',
    "Document '{id}' is missing required field '{field}'",
  ),
  'document-not-searchable': entry(
    400,
    'INVALID_ARGUMENT',
    'A document has no searchable field: neither a vector nor a full-text field.',
    "Document '{id}' must have at least one of the searchable fields of the index: {fields}",
  ),
  'bad-filter': entry(
    400,
    'INVALID_ARGUMENT',
    'A filter contains an invalid condition.',
    'illegal condition for field {field}, got {condition}',
  ),
  'request-too-big': entry(
    400,
    'INVALID_ARGUMENT',
    `A data plane request exceeds ${REQUEST_MEGABYTES} MB.`,
    `Request size {megabytes}MB exceeds the maximum supported size of ${REQUEST_MEGABYTES}MB`,
  ),
  'namespace-not-found': entry(
    404,
    'NOT_FOUND',
    'The index has no namespace of this name.',
    'Namespace not found',
  ),
  'branch-not-found': entry(
    404,
    'NOT_FOUND',
    'The namespace is not there, or no branch.',
    'Branch {name} not found',
  ),
  'branch-conflicts': entry(
    409,
    'ABORTED',
    'Records were changed in a branch and in its source, and the request does not say which side wins.',
    'Branch {branch} and its source have both changed {count} of the same records. Repeat the merge with on_conflict "branch" or "source".',
  ),
  'record-not-found': entry(
    404,
    'NOT_FOUND',
    'The namespace has no record of this id.',
    'Record {id} not found',
  ),
  'namespace-exists': entry(
    409,
    'ALREADY_EXISTS',
    'The namespace already exists.',
    'Namespace {name} already exists',
  ),
  'embedding-changed': entry(
    412,
    'FAILED_PRECONDITION',
    'The vectors of the index were made by a different model or revision than the current one.',
    'The vectors of index {index} were made by {stored}, and its model is now served by {current}. Run: pinyon reembed {index} - or restore the provider.',
  ),
  'reembedding-under-way': entry(
    412,
    'FAILED_PRECONDITION',
    'The index is being embedded again, or that was interrupted, so that its vectors are of two models or revisions.',
    'The vectors of index {index} are being made anew. Wait for the end of that, or run: pinyon reembed {index}',
  ),
  'embedded-since': entry(
    412,
    'FAILED_PRECONDITION',
    'The index was embedded again after that moment: texts have no vectors that earlier ones could be compared with.',
    'Index {index} was embedded again since, until LSN {lsn} ({time}): its earlier vectors are of another model or revision, so texts cannot be searched, nor branches begin, before that. Search by vectors or ids, or name a later moment.',
  ),
  'import-not-found': entry(
    404,
    'NOT_FOUND',
    'The index has no import of this id.',
    'Import {id} not found.',
  ),
  'export-not-found': entry(
    404,
    'NOT_FOUND',
    'The index has no export of this id.',
    'Export {id} not found.',
  ),
  'map-not-found': entry(
    404,
    'NOT_FOUND',
    'The namespace has no map yet.',
    'The namespace has no map. POST to .../map makes one.',
  ),
  'export-file-not-found': entry(
    404,
    'NOT_FOUND',
    "The export is not complete, was not written to the server's own storage, or does not contain the file.",
    'Export {id} has no file {path} to download.',
  ),
  'not-integrated': entry(
    400,
    'INVALID_ARGUMENT',
    'A text operation is called on an index without integrated embedding.',
    'Integrated inference is not configured for this index',
  ),
  'wrong-index-kind': entry(
    400,
    'INVALID_ARGUMENT',
    'This kind of index does not support the operation.',
    '{reason}',
  ),
  'response-too-big': entry(
    400,
    'INVALID_ARGUMENT',
    `The response would exceed ${RESPONSE_MEGABYTES} MB.`,
    `The response would exceed the maximum size of ${RESPONSE_MEGABYTES}MB. Lower topK or leave out values and metadata.`,
  ),
  'fetch-too-big': entry(
    400,
    'INVALID_ARGUMENT',
    `The documents of a fetch by ids would exceed ${FETCH_MEGABYTES} MB, or half of PINYON_BODY_MEBIBYTES_MAX where that is less.`,
    `The response would exceed the maximum size of {megabytes}MB. Fetch fewer ids, or name fewer fields in include_fields.`,
  ),
} as const satisfies Record<string, FaultEntry>;
