/**
 * What an operation needs before it acts: an open session, or why there is none (docs/spec/messages.md, Sending), with the retry after a lost
 * connection; and the permission to write to a person: suppressions (docs/spec/users.md), and the limit of new chats per day
 * (docs/spec/devices.md, Limits).
 */
import type { AppStateMutation } from '../../domain/app-state.ts';
import type { Conversation } from '../../domain/chats/conversation.ts';
import type { LiveParts, ServiceOptions } from '../parts.ts';
import type { DeviceScope } from '../sessions/runtimes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { NetworkSession } from '../../domain/network.ts';
import type { Session } from '../../domain/sessions/session.ts';
import { graceMs } from '../../domain/sessions/state.ts';
import { LeaseLost } from '../../domain/lease.ts';
import {
  deviceNotAuthenticated,
  deviceNotConnected,
  isRefusal,
  mayHaveBeenSent,
  HandsetError,
  numberUnknown,
  usernameKeyRequired,
  usernameUnknown,
} from '../../errors.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';
import { maxNewNumbers } from '../../domain/chats/contact.ts';
import { nextDay } from '../../domain/account-limits.ts';
import { phoneJid, type Recipient } from '../../domain/jid.ts';
import type { GivenRecipient } from '../../domain/chats/recipient.ts';
import type { NamedByUsername } from '../../domain/chats/usernames.ts';
import type { Stores } from '../../domain/stores.ts';

/** Idempotent. Throws InvalidRequest, Conflict, RequestTimeout, DeviceNotConnected and DeviceNotAuthenticated. */
export type WriteAppState = (scope: DeviceScope, mutations: readonly AppStateMutation[]) => Promise<void>;

export const makeWriteAppState =
  (parts: LiveParts): WriteAppState =>
  async (scope, mutations) => {
    const runtime = await scope.runtime();
    runtime.usedAt = parts.clock.now();
    await retryOnSession(parts, runtime, '', (session) => session.writeAppState(mutations));
  };

/** Appended to the error if media needs a device that is not connected (docs/spec/http-interface.md, Errors). */
export const adviceToConnect = '; restart the device or scan the QR code';

/** How long a request may wait for the network and still be answered in time. */
export const networkWaitMs = ({ requestTimeoutMs }: ServiceOptions): number =>
  Math.max(requestTimeoutMs * 0.9, requestTimeoutMs - 1_500);

export interface Wait {
  readonly asked: number;
  readonly until: number;
}

export const waitOf = ({ clock, options }: LiveParts): Wait => {
  const asked = clock.now();
  return { asked, until: asked + networkWaitMs(options) };
};

/** 10 s from the request, or from when the connection was lost since then. */
const waitMs = (session: Session, { asked, until }: Wait, now: number): number => {
  const since = session.state.kind === 'reconnecting' ? session.state.since : asked;
  return Math.max(0, Math.min(Math.max(asked, since) + graceMs, until) - now);
};

/** Waits for a reconnecting device, up to 10 s and within the caller's time. Throws DeviceNotConnected or DeviceNotAuthenticated. */
const reopenedSession = async (
  runtime: DeviceRuntime,
  advice: string,
  clock: Clock,
  { asked, until }: Wait,
): Promise<NetworkSession> => {
  const pick = ({ state, account }: Session): NetworkSession | undefined => {
    switch (state.kind) {
      case 'open':
        return runtime.networkSession ?? undefined;
      case 'pairing':
      case 'passkey_required':
        throw deviceNotAuthenticated();
      case 'closed':
        throw deviceNotConnected(runtime.id, advice);
      case 'connecting':
        if (account === null) throw deviceNotConnected(runtime.id, advice);
        return undefined;
      case 'reconnecting':
        if (state.ban !== undefined) throw deviceNotConnected(runtime.id, advice);
        return undefined;
    }
  };
  const session = await runtime.waitFor(pick, waitMs(runtime.session, { asked, until }, clock.now()));
  if (session === null) throw deviceNotConnected(runtime.id, advice);
  return session;
};

export const openSession = async (
  parts: LiveParts,
  runtime: DeviceRuntime,
  advice = '',
  wait = waitOf(parts),
): Promise<NetworkSession> => {
  const session = runtime.networkSession ?? (await reopenedSession(runtime, advice, parts.clock, wait));
  // `connection.open` is in the log before anything is sent.
  await runtime.writes.settled;
  return session;
};

/** A send fails a moment before its session reports its end. */
const momentMs = 500;

/** Whether the session in which something failed has ended. */
const isLinkLost = async (runtime: DeviceRuntime, session: NetworkSession): Promise<boolean> =>
  (await runtime.waitFor(() => (runtime.networkSession === session ? undefined : true), momentMs)) !== null;

const maxTries = 3;

/** `act` must be idempotent: it is repeated if the connection is lost. Throws DeviceNotConnected and DeviceNotAuthenticated. */
export const retryOnSession = async <T>(
  parts: LiveParts,
  runtime: DeviceRuntime,
  advice: string,
  act: (session: NetworkSession, tries: number, until: number) => Promise<T>,
): Promise<T> => {
  const { clock } = parts;
  const wait = waitOf(parts);
  let mayBeSent: unknown = null;
  for (let tries = 1; ; tries += 1) {
    const session = await openSession(parts, runtime, advice, wait).catch((error: unknown) => {
      throw mayBeSent ?? error;
    });
    try {
      return await act(session, tries, wait.until);
    } catch (error) {
      if (mayHaveBeenSent(error)) mayBeSent ??= error;
      const isFinal = tries === maxTries || clock.now() >= wait.until || isRefusal(error) || error instanceof LeaseLost;
      if (isFinal || !(await isLinkLost(runtime, session))) throw mayBeSent ?? error;
    }
  }
};

export const onOpenSession = async <T>(
  parts: LiveParts,
  scope: DeviceScope,
  act: (session: NetworkSession) => Promise<T>,
): Promise<T> => {
  const runtime = await scope.runtime();
  return runtime.work(async () => {
    const session = await openSession(parts, runtime);
    try {
      return await act(session);
    } catch (error) {
      const mayBeLost = !(error instanceof HandsetError) || error.name === 'SendFailed';
      throw mayBeLost && (await isLinkLost(runtime, session)) ? deviceNotConnected(scope.id) : error;
    }
  });
};

export const onSession = <T>(
  parts: LiveParts,
  scope: DeviceScope,
  act: (conversation: Conversation) => Promise<T>,
): Promise<T> => onOpenSession(parts, scope, ({ conversation }) => act(conversation));

const reached = (max: number, now: number): HandsetError => {
  const again = max === 0 ? '' : `; new chats are possible again from ${new Date(nextDay(now)).toISOString()}`;
  return new HandsetError(
    'RateLimited',
    `Daily limit of new chats reached (newChatsPerDay: ${max})${again}. Existing chats are not affected`,
    { retryAfterSeconds: Math.ceil((nextDay(now) - now) / 1_000), reason: 'new_chat_limit_reached' },
  );
};

/** Throws RateLimited before anything is sent. Groups and the account itself do not count. */
export const beginChat = async (
  { newChats }: Pick<Stores, 'newChats'>,
  { id, settings, session }: DeviceRuntime,
  { kind, jid }: Recipient,
  clock: Clock,
): Promise<void> => {
  const max = settings.newChatsPerDay;
  const { account } = session;
  if (max === null || kind === 'group' || jid === account?.jid || jid === account?.lid) return;
  const now = clock.now();
  if (!(await newChats.begin(id, jid, { max, now }))) throw reached(max, now);
};

/** Throws Forbidden for a suppressed person; groups never are. */
export const mayWriteTo = async (
  { suppressions }: Pick<Stores, 'suppressions'>,
  { id, userId }: DeviceRuntime,
  recipient: GivenRecipient,
): Promise<void> => {
  // A username's owner is unknown before the look-up.
  if (recipient.kind === 'group' || recipient.kind === 'username' || !suppressions.users.has(userId)) return;
  const named = recipient.kind === 'number' ? [phoneJid(recipient.number), recipient.jid] : [recipient.jid];
  for (const jid of new Set(named)) {
    if (await suppressions.has(id, jid))
      throw new HandsetError(
        'Forbidden',
        'This number is on your suppression list. Remove it from the list to send again',
      );
  }
};

interface NetworkParts {
  readonly stores: Pick<Stores, 'lookUps'>;
  readonly clock: Clock;
}

const dayMs = 86_400_000;

/** Throws RateLimited, counting nothing. */
export const takeLookUps = async (
  { lookUps }: Pick<Stores, 'lookUps'>,
  deviceId: number,
  count: number,
  now: number,
): Promise<void> => {
  if (await lookUps.take(deviceId, 'numbers', { count, max: maxNewNumbers, now })) return;
  throw new HandsetError(
    'RateLimited',
    `At most ${maxNewNumbers} new numbers and usernames are looked up for a device and day: looking them up in masses gets accounts restricted`,
    { retryAfterSeconds: Math.ceil((dayMs - (now % dayMs)) / 1_000), reason: 'lookup_limit_reached' },
  );
};

/** Asks the network each time, as the name may have a new owner; a new one counts as a look-up. */
const byUsername = async (
  { stores, clock }: NetworkParts,
  { deviceId, conversation }: NetworkSession,
  named: NamedByUsername,
): Promise<Recipient> => {
  const known = await conversation.knownUsernames([named]);
  if (known.length === 0) await takeLookUps(stores, deviceId, 1, clock.now());
  const [found] = await conversation.lookUpUsernames([named]);
  if (found?.keyRequired === true) throw usernameKeyRequired();
  if (found === undefined || found.lid === null) throw usernameUnknown();
  return { kind: 'lid', jid: found.lid };
};

/** Refuses unknown numbers: writing to those gets accounts restricted. */
export const onNetwork = async (
  parts: NetworkParts,
  session: NetworkSession,
  recipient: GivenRecipient,
): Promise<Recipient> => {
  if (recipient.kind === 'username') return byUsername(parts, session, recipient);
  if (recipient.kind !== 'number') return recipient;
  const jid = await session.lookUp(recipient.number);
  if (jid === null) throw numberUnknown();
  return { ...recipient, jid };
};

interface CheckParts {
  readonly stores: Pick<Stores, 'newChats' | 'suppressions' | 'lookUps'>;
  readonly clock: Clock;
}

/** Throws what the send would be refused with, before a file is fetched or decoded. Counts no new chat. */
export const checkRecipient = async (
  { stores, clock }: CheckParts,
  runtime: DeviceRuntime,
  session: NetworkSession,
  recipient: GivenRecipient,
): Promise<void> => {
  try {
    const to = await onNetwork({ stores, clock }, session, recipient);
    if (to !== recipient) await mayWriteTo(stores, runtime, to);
    const max = runtime.settings.newChatsPerDay;
    if (max !== null && (await stores.newChats.count(runtime.id, clock.now())) >= max)
      await beginChat(stores, runtime, to, clock);
  } catch (error) {
    if (isRefusal(error)) throw error;
  }
};
