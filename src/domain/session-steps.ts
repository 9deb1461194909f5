/** Building blocks of the transitions: effects, and the events that end what was announced. */
import type { SessionChanges } from './changes.ts';
import type { DeviceEvent, NewEvent } from './event.ts';
import type { Effect, Life, Step } from './session.ts';

type Closing = Extract<DeviceEvent, { type: 'connection.closed' }>['data'];

export const calm: Effect = { kind: 'calm' };
export const connect: Effect = { kind: 'connect' };
export const close: Effect = { kind: 'close' };

/** The device's own events are delivered one after the other. */
export const eventOf = (event: DeviceEvent, now: number): NewEvent => ({ event, at: now, orderKey: 'connection' });

export const record = (changes: SessionChanges, forget = false): Effect => ({ kind: 'record', changes, forget });

export const stay = (life: Life): Step => ({ life, effects: [] });

export const timeoutEvents = (life: Life, now: number): NewEvent[] =>
  life.offered ? [eventOf({ type: 'connection.timeout', data: {} }, now)] : [];

export const closedEvents = (life: Life, data: Closing, now: number): NewEvent[] =>
  life.announcedOpen ? [eventOf({ type: 'connection.closed', data }, now)] : [];

export const seen = (life: Life, now: number): SessionChanges =>
  life.session.kind === 'open' ? { lastSeenAt: now } : {};

/** Writes the end of what was announced, or nothing when there is nothing to write. */
export const farewell = (life: Life, events: readonly NewEvent[], now: number): Effect[] => {
  const changes: SessionChanges = {
    ...seen(life, now),
    ...(life.announcedOpen ? { announcedOpen: false } : {}),
    ...(events.length > 0 ? { events } : {}),
  };
  return Object.keys(changes).length > 0 ? [record(changes)] : [];
};
