/** Permission to write to a person: suppressions (docs/spec/users.md), and the limit of new chats per day (docs/spec/devices.md, Limits). */
import { maxNewNumbers } from '../../domain/chats/contact.ts';
import { nextDay } from '../../domain/account-limits.ts';
import type { Clock } from '../../domain/clock.ts';
import { phoneJid, type Recipient } from '../../domain/jid.ts';
import type { GivenRecipient } from '../../domain/chats/recipient.ts';
import type { NetworkSession } from '../../domain/network.ts';
import type { NamedByUsername } from '../../domain/chats/usernames.ts';
import type { Stores } from '../../domain/stores.ts';
import { HandsetError, isRefusal, numberUnknown, usernameKeyRequired, usernameUnknown } from '../../errors.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';

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
