// The entry of a projection's thread.
import { takePriority } from '../platform/thread-priority.ts';
import { Moved } from '../platform/worker-channel/moved.ts';
import { serveParent } from '../platform/worker-channel/serve-parent.ts';
import { startData } from '../platform/worker-channel/start-data.ts';
import { layOut } from './lay-out.ts';
import type { ProjectorMethods } from './messages.ts';
import { PointSet } from './point-set.ts';
import type { ProjectorStart } from './port.ts';

// Nobody waits for a map as one waits for a search.
takePriority('builder');
const points = new PointSet(startData<ProjectorStart>());

serveParent<ProjectorMethods>({
  add: (records) => {
    points.add(records);
    return points.ids.length;
  },
  ids: ({ from, count }) => points.ids.slice(from, from + count),
  setNeighbors: (batch) => {
    points.setNeighbors(batch);
    return null;
  },
  layOut: async (request, call) => {
    const file = await layOut(points, request, (share) => call.note(share));
    return new Moved(file, [file.buffer]);
  },
});
