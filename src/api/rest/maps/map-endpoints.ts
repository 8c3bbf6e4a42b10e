// All endpoints of maps.
import type { BulkEndpoint } from '../import-export/bulk-endpoint.ts';
import { describeMap } from './describe-map.ts';
import { listMapPoints } from './list-map-points.ts';
import { makeMap } from './make-map.ts';

export const mapEndpoints: readonly BulkEndpoint[] = [describeMap, makeMap, listMapPoints];
