/** The verdict on a run, as a list of problems: empty when nothing was lost, doubled, out of order or unreadable. */
import type { EventEnvelope } from '../../../src/domain/event.ts';
import type { PhoneMessage } from '../../support/phones.ts';
import { verify } from '../../support/receiver.ts';
import type { Attempted, Sends } from './sends.ts';
import type { Restores } from './restores.ts';
import { type Wanted, laneOf, nameOf } from '../support/wanted.ts';
import type { World } from './world.ts';

export interface Run {
  readonly world: World;
  readonly wanted: Wanted;
  readonly sends: Sends;
  readonly restores: Restores;
}

const accepted = ({ messageIds }: Attempted): boolean => messageIds.length > 0;

/** Adds the events that every send answered with 200 since the last call must bring to the webhook. */
export const wantSends = ({ world, wanted, sends }: Omit<Run, 'restores'>): void => {
  for (const { attempted, messageId } of sends.takeAnswered()) {
    const { device, people, losses } = attempted;
    wanted.add(`device ${device}: sent ${messageId}`);
    // It may have reached its readers before the database was put back.
    if (losses > 0) continue;
    for (const { number } of people) {
      const hearer = world.linked.find((each) => each.number === number);
      if (hearer !== undefined) wanted.add(`device ${hearer.device}: received ${messageId}`);
    }
    if (people.length > 1 || people[0]!.silent) continue;
    const series = `message ${messageId}`;
    wanted.addInOrder(series, `device ${device}: sent ${messageId}`);
    wanted.addInOrder(series, `device ${device}: delivered ${messageId}`);
    const read = `device ${device}: read ${messageId}`;
    if (wanted.names.has(read)) wanted.addInOrder(series, read);
  }
};

/** Every wanted event came, and no happening is in the log under two ids. */
const checkEvents = ({ world, wanted }: Run, logged: ReadonlySet<string>): string[] => {
  const idsByName = new Map<string, Set<string>>();
  for (const { event } of world.receiver.received) {
    const name = nameOf(event);
    if (name === null) continue;
    const ids = idsByName.get(name) ?? new Set();
    idsByName.set(name, ids.add(event.id));
  }
  const lost = [...wanted.names].filter((name) => !idsByName.has(name));
  const doubled = [...idsByName].filter(([, ids]) => [...ids].filter((id) => logged.has(id)).length > 1);
  return [
    ...lost.map((name) => `${name}: never reached the webhook`),
    ...doubled.map(([name, ids]) => `${name}: came under ${ids.size} event ids`),
  ];
};

/** The first arrivals of each chat are in the order of the log, and in the order in which each person wrote. */
const checkOrder = ({ world, wanted }: Run): string[] => {
  const wrong: string[] = [];
  const lastByLane = new Map<string, string>();
  const firsts = new Map<string, EventEnvelope>();
  for (const { event } of world.receiver.received) {
    if (firsts.has(event.id)) continue;
    firsts.set(event.id, event);
    const lane = laneOf(event);
    const last = lastByLane.get(lane);
    if (last !== undefined && last > event.id) wrong.push(`${lane}: ${event.id} came after ${last}`);
    lastByLane.set(lane, event.id);
  }
  const idOf = new Map([...firsts.values()].map((event) => [nameOf(event), event.id]));
  for (const [series, names] of wanted.series) {
    const ids = names.flatMap((name) => idOf.get(name) ?? []);
    const at = ids.findIndex((id, index) => index > 0 && id < ids[index - 1]!);
    if (at > 0) wrong.push(`${series}: event ${ids[at]} tells of what was written after ${ids[at - 1]}`);
  }
  return wrong;
};

/** Checks that an id always carries the identical event, and that every post is signed. */
const checkPosts = ({ world }: Run): string[] => {
  const wrong = new Set<string>();
  const bodies = new Map<string, string>();
  const secrets = new Map(world.linked.map(({ device, secret }) => [device, secret]));
  for (const post of world.receiver.received) {
    const { id, deviceId } = post.event;
    if (post.headers['webhook-id'] !== id) wrong.add(`${id}: its header says ${post.headers['webhook-id']}`);
    if ((bodies.get(id) ?? post.body) !== post.body) wrong.add(`${id}: was posted with two bodies`);
    bodies.set(id, post.body);
    try {
      verify(secrets.get(deviceId) ?? '', post, 'any');
    } catch {
      wrong.add(`${id}: a signature is wrong`);
    }
  }
  return [...wrong];
};

/** Accepted: once on each phone. Without an answer: at most once. The same key: the same message, while the database knows of it. */
const checkSends = async ({ world, sends }: Run): Promise<string[]> => {
  const wrong: string[] = [];
  const shown = new Map<string, Map<string, PhoneMessage[]>>();
  for (const { number } of [...world.others, ...world.linked]) {
    const messages = await world.phones.messages(number);
    shown.set(
      number,
      Map.groupBy(messages, ({ text, image }) => text ?? image?.caption ?? ''),
    );
  }
  for (const each of sends.all) {
    const { text, key, people, troubles, losses } = each;
    const messageIds = new Set(each.messageIds);
    const most = key === null ? 1 : 1 + losses;
    const name = `"${text}" (${key === null ? 'no key' : key})`;
    if (messageIds.size > most) wrong.push(`${name}: ${messageIds.size} different messageIds`);
    if (key !== null && !accepted(each)) wrong.push(`${name}: never answered with 200 (${troubles.at(-1)})`);
    for (const { number } of people) {
      const copies = shown.get(number)?.get(text) ?? [];
      if (copies.length > most) wrong.push(`${name}: ${copies.length} times on the phone of ${number}`);
      // A phone that cannot read it asks for it once more, and not every database of later knows it.
      if (losses > 0) continue;
      for (const messageId of messageIds) {
        if (copies.some(({ id }) => id === messageId)) continue;
        wrong.push(`${name}: accepted as ${messageId}, but not on the phone of ${number}`);
      }
    }
  }
  return wrong;
};

/** The ids of all events in the log. */
const readLog = async ({ world }: Run): Promise<ReadonlySet<string>> => {
  const logged = new Set<string>();
  const client = await world.api();
  for (const { device } of world.linked) {
    let after: string | null = null;
    do {
      const query = `limit=1000${after === null ? '' : `&after=${after}`}`;
      const { events, nextCursor } = (await client.get(`/devices/${device}/events?${query}`)).body as {
        events: EventEnvelope[];
        nextCursor: string | null;
      };
      for (const { id } of events) logged.add(id);
      after = nextCursor;
    } while (after !== null);
  }
  return logged;
};

/** The log holds what was posted, each event once, but for what was lost with a database. */
const checkLog = ({ world, restores }: Run, logged: ReadonlySet<string>): string[] => {
  const posted = new Set(world.receiver.received.map(({ event }) => event.id));
  const gone = [...posted].filter((id) => !logged.has(id) && !restores.mayBeLost.has(id));
  return [
    ...gone.map((id) => `${id}: was posted and is not in the log`),
    ...[...logged].filter((id) => !posted.has(id)).map((id) => `${id}: is in the log and was never posted`),
  ];
};

/** A reader who has come to an event that was lost is told so. */
const checkPositions = async ({ world, restores }: Run, logged: ReadonlySet<string>): Promise<string[]> => {
  const wrong: string[] = [];
  const client = await world.api();
  const lost = world.receiver.received.filter(({ event }) => restores.mayBeLost.has(event.id) && !logged.has(event.id));
  for (const { event } of lost.slice(-20)) {
    const { status } = await client.get(`/devices/${event.deviceId}/events?after=${event.id}`);
    if (status !== 400) wrong.push(`${event.id}: was lost, and is a position in the log (${status})`);
  }
  return wrong;
};

const checkPhones = async ({ world, restores }: Run): Promise<string[]> => {
  const stats = await world.phones.stats();
  // What was written under the keys of before a restoration is asked for again.
  const none = restores.count === 0 ? ['decryptFailures', 'retriesAsked', 'retriesAnswered'] : [];
  return ['reusedKeys', 'mediaFailures', ...none]
    .filter((name) => stats[name] !== 0)
    .map((name) => `the phones count ${String(stats[name])} ${name}`);
};

/** In plain words, one line for each thing that is wrong. */
export const judge = async (run: Run): Promise<readonly string[]> => {
  const logged = await readLog(run);
  return [
    ...checkEvents(run, logged),
    ...checkOrder(run),
    ...checkPosts(run),
    ...(await checkSends(run)),
    ...checkLog(run, logged),
    ...(await checkPositions(run, logged)),
    ...(await checkPhones(run)),
  ];
};
