/** Devices as callers see them: the record with its session's state. */
import {
  type TemporaryBan,
  type ClosedReason,
  type DeviceStatus,
  type PairingOffer,
  type SessionState,
  type BacklogView,
  type SessionView,
  statusOf,
  type Backlog,
  stalledWords,
} from '../../domain/sessions/state.ts';
import { limitAt, restrictionWords, type NewChatCap, noLimits, nextDay } from '../../domain/account-limits.ts';
import type { Device, DeviceRecord } from '../../domain/device.ts';
import type { Session } from '../../domain/sessions/session.ts';
import type { Passkey } from '../../domain/passkey.ts';
import type { LiveParts } from '../parts.ts';

/** Codes of failure 402 (whatsmeow types/events/events.go, 2026-08-21; 105 is not known there). */
const causes: Readonly<Record<number, string>> = {
  101: 'it wrote to too many people who do not have it in their address books',
  102: 'too many people have blocked it',
  103: 'it made too many groups with people who do not have it in their address books',
  104: 'it sent the same message to too many people',
  106: 'it sent too many messages to broadcast lists',
};

const causeOf = (code: number | null): string => {
  if (code === null) return 'the network gave no cause';
  return `${causes[code] ?? 'it may have violated the terms of service'}, code ${code}`;
};

const endOf = (until: number | null): string =>
  until === null ? ', for a time that it did not tell' : ` until ${new Date(until).toISOString()}`;

const banWords = ({ code, until }: TemporaryBan): string =>
  `The network has banned the account${endOf(until)} (${causeOf(code)}). The link is kept, and the device comes back by itself when the ban is over; ` +
  'restart it to try sooner, once a review in the app on the phone has lifted the ban.';

/** An unchanged record returns the same object, because long lists are read again and again. */
const shown = new WeakMap<DeviceRecord, Device>();

export const deviceView = (record: DeviceRecord, session: Session, qr: string | null, now: number): Device => {
  const status = statusOf(session.state, now);
  const before = shown.get(record);
  if (before !== undefined && before.status === status && before.qr === qr) return before;
  const view = viewOf(record, status, qr);
  shown.set(record, view);
  return view;
};

const viewOf = (record: DeviceRecord, status: DeviceStatus, qr: string | null): Device => ({
  id: record.id,
  name: record.name,
  status,
  qr,
  webhookUrl: record.webhookUrl,
  webhookEvents: record.webhookEvents,
  messagesSent: record.messagesSent,
  subscription_status: record.subscriptionStatus,
  createdAt: new Date(record.createdAt).toISOString(),
});

const closedWords: Record<ClosedReason, string> = {
  never_paired: 'The device is not linked to an account: restart it to get a QR code.',
  pairing_expired:
    'The QR code was not scanned in time: restart the device to get a new one. If the phone said "Couldn\'t link device" each time, the network may refuse this version of the client: see docs/linking.md.',
  pairing_failed: 'The network did not complete the pairing: restart the device to try again.',
  passkey_expired:
    'Nobody confirmed the passkey in time: restart the device to get a new QR code, and confirm within ten minutes.',
  logged_out: 'The device was disconnected: restart it to link an account again.',
  removed_by_phone:
    'The phone removed this device from its linked devices, or the network has ended the link: restart it to link it again.',
  locked:
    'The network has locked or banned this account, or it is on another phone now: open the app on the phone and do what it asks for, then restart the device to link it again.',
  banned:
    'The network has banned this account: open the app on the phone and ask for a review there; when it works again, restart the device to link it again.',
  replaced:
    'Another client took over with the same authentication: stop that one, then restart the device to connect it here.',
  client_outdated:
    'The network refuses this version of the client: update the service or set HANDSET_CLIENT_VERSION, then restart the device.',
  inactive:
    'The device is inactive: activate it to connect it. The network removes a linked device that does not connect for 30 days.',
  shutdown: 'The service is shutting down: the device reconnects when it is back.',
};

const passkeyWords: Record<Passkey['step'], string> = {
  response:
    'The network asks for a passkey to complete the linking: get its options from /passkey and answer them with the passkey of the account.',
  phone: 'The network has taken the passkey: the phone completes the linking.',
  confirm:
    'The phone shows a code: when it is the same as the one from /passkey, confirm it there, to complete the linking.',
};

const pairingWords = ({ codeRefusal }: PairingOffer): string => {
  if (codeRefusal === undefined) {
    return 'Waiting for you to scan the QR code, or to enter the pairing code, on the phone under Linked devices.';
  }
  return codeRefusal.unknownNumber
    ? 'This phone number is not on the network: scan the QR code, or restart the device with the right number.'
    : `The network refused the pairing code (${codeRefusal.detail}): scan the QR code, or restart the device with the phone number to get a new code.`;
};

/** For people, with what they can do about it; null if nothing is wrong. */
export const reasonOf = (state: SessionState): string | null => {
  switch (state.kind) {
    case 'open':
    case 'connecting':
      return null;
    case 'pairing':
      return pairingWords(state.offer);
    case 'passkey_required':
      return passkeyWords[state.passkey.step];
    case 'reconnecting':
      if (state.ban !== undefined) return banWords(state.ban);
      return `The device is reconnecting by itself (${state.detail}).`;
    case 'closed':
      return state.detail === null ? closedWords[state.reason] : `${closedWords[state.reason]} (${state.detail})`;
  }
};

const anew = ({ state, notice }: Session): string | null => {
  if (notice === null) return null;
  if (state.kind === 'connecting') return `${notice}: a new QR code follows.`;
  return state.kind === 'pairing' && state.offer.codeRefusal === undefined ? `${notice}: scan the new QR code.` : null;
};

const restriction = ({ state, limits }: Session, now: number): string | null => {
  const limit = state.kind === 'open' && limits !== undefined ? limitAt(limits, now) : null;
  return limit === null ? null : restrictionWords(limit);
};

const isoOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

const stalled = ({ state, backlog }: Session): string | null =>
  state.kind === 'open' && backlog?.state === 'stalled' ? stalledWords(backlog) : null;

const backlogView = ({ startedAt, completedAt, ...backlog }: Backlog): BacklogView => ({
  ...backlog,
  startedAt: new Date(startedAt).toISOString(),
  completedAt: isoOf(completedAt),
});

/** `GET /devices/{id}/session` (docs/spec/devices.md, Session). */
export const sessionView = (record: DeviceRecord, session: Session, now: number): SessionView => {
  const { state, account, backlog } = session;
  const code = state.kind === 'pairing' ? state.offer.code : null;
  return {
    state: state.kind,
    reason: restriction(session, now) ?? anew(session) ?? stalled(session) ?? reasonOf(state),
    phoneNumber: account?.phoneNumber ?? null,
    jid: account?.jid ?? null,
    lid: account?.lid ?? null,
    name: account?.name ?? null,
    platform: account?.platform ?? null,
    pairingCode: code?.code ?? null,
    pairingCodeExpiresAt: isoOf(code?.expiresAt ?? null),
    qrExpiresAt: isoOf(state.kind === 'pairing' ? state.offer.qrExpiresAt : null),
    lastSeenAt: isoOf(state.kind === 'open' ? now : record.lastSeenAt),
    reconnects: session.reconnects,
    backlog: state.kind === 'open' && backlog !== undefined ? backlogView(backlog) : null,
  };
};

interface NewChats {
  readonly used: number | null;
  readonly limit: number | null;
  readonly resetsAt: number | null;
}

/** Times in ms; null: unknown or not restricted. */
export interface LimitsView {
  readonly restrictedUntil: number | null;
  readonly reason: string | null;
  readonly newChats: NewChats;
}

type Restriction = Pick<LimitsView, 'restrictedUntil' | 'reason'>;

const noChats: NewChats = { used: null, limit: null, resetsAt: null };

const leftOf = ({ used, limit }: NewChats): number => (limit === null ? Infinity : limit - (used ?? 0));

const byNetwork = ({ state, limits = noLimits }: Session, now: number): Restriction | null => {
  if (state.kind === 'reconnecting' && state.ban !== undefined)
    return { restrictedUntil: state.ban.until, reason: banWords(state.ban) };
  if (state.kind === 'closed' && (state.reason === 'locked' || state.reason === 'banned'))
    return { restrictedUntil: null, reason: reasonOf(state) };
  const limit = limitAt(limits, now);
  return limit === null ? null : { restrictedUntil: limit.until, reason: restrictionWords(limit) };
};

const capOf = (cap: NewChatCap | null, now: number): NewChats | null => {
  if (cap === null || (cap.resetsAt !== null && cap.resetsAt <= now)) return null;
  return { used: cap.used, limit: cap.limit, resetsAt: cap.resetsAt };
};

const ownWords = (limit: number, until: number): string =>
  limit === 0
    ? 'The device may begin no new chats: its own limit is 0. Existing chats are not affected. Raise the limit in the settings of the device.'
    : `The device has reached its own limit of new chats (${limit} a day). Existing chats are not affected. Begin others after ${new Date(until).toISOString()}, or raise the limit in the settings of the device.`;

/** Network restrictions first; of the two caps on new chats, the one that leaves fewer. */
export const limitsOf = async (
  { stores, clock }: Pick<LiveParts, 'stores' | 'clock'>,
  { id, settings }: DeviceRecord,
  session: Session,
): Promise<LimitsView> => {
  const now = clock.now();
  const limit = settings.newChatsPerDay;
  const own = limit === null ? null : { used: await stores.newChats.count(id, now), limit, resetsAt: nextDay(now) };
  const cap = capOf(session.limits?.newChats ?? null, now);
  const newChats = own !== null && (cap === null || leftOf(own) <= leftOf(cap)) ? own : (cap ?? noChats);
  const told = byNetwork(session, now);
  if (told !== null) return { ...told, newChats };
  if (own === null || own.used < own.limit) return { restrictedUntil: null, reason: null, newChats };
  return {
    restrictedUntil: own.limit === 0 ? null : own.resetsAt,
    reason: ownWords(own.limit, own.resetsAt),
    newChats,
  };
};
