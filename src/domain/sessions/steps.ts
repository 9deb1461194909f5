/** Building blocks of transitions: effects, and facts that end what was announced. */
import type { SessionChanges, Report } from '../changes.ts';
import type { DeviceEvent } from '../event.ts';
import type { Effect, Session, Step } from './session.ts';

type Closing = Extract<DeviceEvent, { type: 'connection.closed' }>['data'];

export const disarm: Effect = { kind: 'disarm' };
export const connect: Effect = { kind: 'connect' };
export const close: Effect = { kind: 'close' };

export const record = (changes: SessionChanges, forget = false): Effect => ({ kind: 'record', changes, forget });

export const stay = (session: Session): Step => ({ session, effects: [] });

export const timeoutFacts = (session: Session, at: number): Report[] =>
  session.offered ? [{ event: { type: 'connection.timeout', data: {} }, at }] : [];

export const closedFacts = (session: Session, data: Closing, at: number): Report[] =>
  session.announcedOpen ? [{ event: { type: 'connection.closed', data }, at }] : [];

export const seen = (session: Session, now: number): SessionChanges =>
  session.state.kind === 'open' ? { lastSeenAt: now } : {};

/** Ends what was announced, if anything was. */
export const farewell = (session: Session, facts: readonly Report[], now: number): Effect[] => {
  const changes: SessionChanges = {
    ...seen(session, now),
    ...(session.announcedOpen ? { announcedOpen: false } : {}),
    ...(facts.length > 0 ? { facts } : {}),
  };
  return Object.keys(changes).length > 0 ? [record(changes)] : [];
};
