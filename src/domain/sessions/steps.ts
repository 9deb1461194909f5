/** Building blocks of transitions: effects, and events that end what was announced. */
import type { SessionChanges } from '../changes.ts';
import type { DeviceEvent, NewEvent } from '../event.ts';
import type { Effect, Session, Step } from './session.ts';

type Closing = Extract<DeviceEvent, { type: 'connection.closed' }>['data'];

export const calm: Effect = { kind: 'calm' };
export const connect: Effect = { kind: 'connect' };
export const close: Effect = { kind: 'close' };

/** Events of the device itself are delivered in sequence. */
export const eventOf = (event: DeviceEvent, now: number): NewEvent => ({ event, at: now, orderKey: 'connection' });

export const record = (changes: SessionChanges, forget = false): Effect => ({ kind: 'record', changes, forget });

export const stay = (session: Session): Step => ({ session, effects: [] });

export const timeoutEvents = (session: Session, now: number): NewEvent[] =>
  session.offered ? [eventOf({ type: 'connection.timeout', data: {} }, now)] : [];

export const closedEvents = (session: Session, data: Closing, now: number): NewEvent[] =>
  session.announcedOpen ? [eventOf({ type: 'connection.closed', data }, now)] : [];

export const seen = (session: Session, now: number): SessionChanges =>
  session.state.kind === 'open' ? { lastSeenAt: now } : {};

/** Writes the end of what was announced, if anything was. */
export const farewell = (session: Session, events: readonly NewEvent[], now: number): Effect[] => {
  const changes: SessionChanges = {
    ...seen(session, now),
    ...(session.announcedOpen ? { announcedOpen: false } : {}),
    ...(events.length > 0 ? { events } : {}),
  };
  return Object.keys(changes).length > 0 ? [record(changes)] : [];
};
