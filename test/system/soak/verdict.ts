/** The verdict on a soak, as a list of problems. */
import type { EventEnvelope } from '../../../src/domain/event.ts';
import type { PhoneMessage } from '../../support/phones.ts';
import { nameOf } from '../support/wanted.ts';
import type { Said } from './traffic.ts';
import type { Linked, World } from './world.ts';

export type Events = ReadonlyMap<number, readonly EventEnvelope[]>;
type Screens = ReadonlyMap<string, readonly PhoneMessage[]>;

const eventsOf = async ({ api }: World, device: number): Promise<readonly EventEnvelope[]> => {
  const all: EventEnvelope[] = [];
  for (let after: string | null = null; ;) {
    const query: string = `limit=1000${after === null ? '' : `&after=${after}`}`;
    const { body } = await api.get(`/devices/${device}/events?${query}`);
    const { events, nextCursor } = body as { events: EventEnvelope[]; nextCursor: string | null };
    all.push(...events);
    if (nextCursor === null) return all;
    after = nextCursor;
  }
};

const allEvents = async (world: World): Promise<Events> => {
  const events = new Map<number, readonly EventEnvelope[]>();
  for (const { device } of world.linked) events.set(device, await eventsOf(world, device));
  return events;
};

const screens = async (world: World): Promise<Screens> => {
  const shown = new Map<string, readonly PhoneMessage[]>();
  for (const { number } of [...world.linked, ...world.others]) shown.set(number, await world.phones.messages(number));
  return shown;
};

/** The accounts linked to the service whose devices must have heard of a message. */
const devicesOf = (people: readonly { readonly device: number | null }[]): number[] =>
  people.flatMap(({ device }) => (device === null ? [] : [device]));

/** The events by which the service must report an accepted message. */
const expectedEvents = ({ id, by, from, readers, read }: Said): string[] => [
  ...devicesOf(readers).map((device) => `device ${device}: received ${id}`),
  ...devicesOf([from]).map((device) => `device ${device}: sent ${id}`),
  ...(by === 'service' && read ? devicesOf([from]).map((device) => `device ${device}: read ${id}`) : []),
];

const byName = (events: Events): ReadonlyMap<string | null, readonly EventEnvelope[]> =>
  Map.groupBy([...events.values()].flat(), nameOf);

/** Exactly once on every phone that it was for, and on the writer's own; what was not accepted, at most once. */
const checkScreens = (said: readonly Said[], shown: Screens): string[] => {
  const byText = new Map(
    [...shown].map(([number, messages]) => [
      number,
      Map.groupBy(messages, ({ text, image }) => text ?? image?.caption ?? ''),
    ]),
  );
  return said.flatMap(({ text, id, from, readers, inGroup }) =>
    [from, ...readers].flatMap(({ number }) => {
      const copies = byText.get(number)?.get(text) ?? [];
      if (copies.length > 1) return [`"${text}" is ${copies.length} times on the phone of ${number}`];
      if (id === null) return [];
      const [copy] = copies;
      if (copy === undefined) {
        const other = shown.get(number)?.find((message) => message.id === id);
        const instead = other === undefined ? '' : `, but a ${other.type} of its id, ${other.state}`;
        return [
          `"${text}" (${id}${inGroup ? ', in a group' : ''}) was accepted, and is not on the phone of ${number}${instead}`,
        ];
      }
      if (copy.id !== id) return [`"${text}" is on the phone of ${number} under another id`];
      return copy.state === 'failed' ? [`"${text}" could not be shown on the phone of ${number}`] : [];
    }),
  );
};

const checkEvents = (said: readonly Said[], events: Events): string[] => {
  const found = byName(events);
  const wanted = said.filter(({ id }) => id !== null).flatMap(expectedEvents);
  const doubled = [...found].filter(([name, same]) => name !== null && same.length > 1);
  return [
    ...wanted.filter((name) => !found.has(name)).map((name) => `${name}: there is no event`),
    ...doubled.map(([name, same]) => `${name}: ${same.length} events, ${JSON.stringify(same)}`),
  ];
};

/** How many events are still to come. */
export const missing = async (world: World, said: readonly Said[]): Promise<number> => {
  const found = byName(await allEvents(world));
  return said
    .filter(({ id }) => id !== null)
    .flatMap(expectedEvents)
    .filter((name) => !found.has(name)).length;
};

export const notOpen = async (world: World): Promise<readonly Linked[]> => {
  const stuck: Linked[] = [];
  for (const linked of world.linked) {
    const { session } = (await world.api.get(`/devices/${linked.device}/session`)).body;
    if (session.state !== 'open') stuck.push(linked);
  }
  return stuck;
};

/** In plain words, one line for each thing that is wrong. */
export const judge = async (world: World, said: readonly Said[]): Promise<readonly string[]> => {
  const { pending } = (await world.phones.stats()) as { pending: Readonly<Record<string, number>> };
  return [
    ...(await notOpen(world)).map(({ device }) => `device ${device}: its session is stuck`),
    ...Object.entries(pending).map(([device, count]) => `${device}: ${count} stanzas were never acknowledged`),
    ...checkScreens(said, await screens(world)),
    ...checkEvents(said, await allEvents(world)),
  ];
};
