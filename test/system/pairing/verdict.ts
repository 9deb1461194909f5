/** The verdict on an ended pairing, as a list of problems. */
import { eventually } from '../../support/wait.ts';
import type { Ending } from './person.ts';
import type { World } from './world.ts';

interface Seen {
  readonly type: string;
}

const connectionEvents = async (world: World, id: number): Promise<readonly string[]> => {
  const answer = await world.ask('GET', `/devices/${id}/events?limit=1000`);
  const events = (answer?.body.events ?? []) as readonly Seen[];
  return events.map(({ type }) => type).filter((type) => type.startsWith('connection.'));
};

/** `connection.auth`, as often as there was something new; each pairing ends once, with a link or in a timeout. */
const checkEvents = (types: readonly string[], { how }: Ending): string[] => {
  const told = types.join(' ');
  const opens = types.filter((type) => type === 'connection.open').length;
  return [
    ...(how === 'linked' && opens !== 1 ? [`${opens} connection.open: ${told}`] : []),
    ...(how === 'linked' && types.at(-1) !== 'connection.open' ? [`does not end with connection.open: ${told}`] : []),
    ...(how === 'timeout' && types.at(-1) !== 'connection.timeout' ? [`ends without connection.timeout: ${told}`] : []),
    ...(types.includes('connection.logout') ? [`a logout of what was never open: ${told}`] : []),
    ...(/timeout connection\.timeout/.test(told) ? [`two timeouts of one pairing: ${told}`] : []),
  ];
};

const checkLinked = async (world: World, { story, device }: Ending, friend: string): Promise<string[]> => {
  const { linkedDevices } = await world.phones.get(story.number);
  const sent = await world.ask('POST', `/devices/${device}/messages/text`, { toNumber: friend, message: 'linked' });
  return [
    ...(linkedDevices.length === 1 ? [] : [`the phone lists ${linkedDevices.length} devices`]),
    ...(sent?.status === 200 ? [] : [`cannot send: ${sent?.status} ${sent?.body?.status?.message}`]),
  ];
};

const checkTimeout = async (world: World, { story, device, reason, heard, restarts }: Ending): Promise<string[]> => {
  const { status } = (await world.ask('GET', `/devices/${device}`))?.body.device ?? {};
  const { linkedDevices } = await world.phones.get(story.number);
  return [
    ...(status === 'timeout' ? [] : [`its status is ${status}`]),
    ...(reason === null || reason === '' ? ['no reason is given'] : []),
    ...(linkedDevices.length === 0 ? [] : ['the phone lists a device that is not linked']),
    ...(story.idle ? [] : [`${restarts} restarts did not link it either: ${heard.join(' | ')}`]),
  ];
};

/** In plain words; empty when all is as it must be. */
export const judge = async (world: World, ending: Ending, friend: string): Promise<readonly string[]> => {
  const { story, device, how, reason, heard, ms } = ending;
  const name = `${story.number} by ${story.by}, ${story.linking}${story.idle ? ', idle' : ''}: device ${device}`;
  if (how === 'stuck' || device === null) {
    return [`${name} is stuck after ${Math.round(ms)} ms (${reason}): ${heard.join(' | ')}`];
  }
  const wrong = how === 'linked' ? await checkLinked(world, ending, friend) : await checkTimeout(world, ending);
  // What a session tells at last is written a moment after it is true.
  let types: readonly string[] = [];
  await eventually(
    'the events',
    async () => {
      types = await connectionEvents(world, device);
      return checkEvents(types, ending).length === 0;
    },
    2_000,
  ).catch(() => false);
  return [...wrong, ...checkEvents(types, ending)].map((line) => `${name}: ${line}`);
};
