// A process that serves the fixture's methods, and ends with the one that forked it.
import { ChannelServer } from '../channel-server.ts';
import { parentEndpoint } from '../process-endpoint.ts';
import { FIXTURE_HANDLERS, type FixtureMethods } from './fixture-methods.ts';

new ChannelServer<FixtureMethods>(parentEndpoint(), FIXTURE_HANDLERS);
