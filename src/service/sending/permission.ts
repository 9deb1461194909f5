/** Permission to write to a person: the user's list of suppressions (docs/spec/users.md), and the ceiling of new chats a day of the device (docs/spec/devices.md, Limits). */
import { nextDay } from '../../domain/chats/new-chats.ts';
import type { Clock } from '../../domain/clock.ts';
import { phoneJid, type Recipient } from '../../domain/jid.ts';
import type { NetworkSession } from '../../domain/network.ts';
import type { Stores } from '../../domain/stores.ts';
import { HandsetError, isRefusal, numberUnknown } from '../../errors.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';

const reached = (most: number, now: number): HandsetError => {
  const again = most === 0 ? '' : `; new chats are possible again from ${new Date(nextDay(now)).toISOString()}`;
  return new HandsetError(
    'RateLimited',
    `Daily limit of new chats reached (newChatsPerDay: ${most})${again}. Existing chats are not affected`,
    { retryAfterSeconds: Math.ceil((nextDay(now) - now) / 1_000), reason: 'new_chat_limit_reached' },
  );
};

/** Throws RateLimited, before anything leaves. Groups do not count, nor does the account itself. */
export const beginChat = async (
  { newChats }: Pick<Stores, 'newChats'>,
  { id, settings, session }: DeviceRuntime,
  { kind, jid }: Recipient,
  clock: Clock,
): Promise<void> => {
  const most = settings.newChatsPerDay;
  const { account } = session;
  if (most === null || kind === 'group' || jid === account?.jid || jid === account?.lid) return;
  const now = clock.now();
  if (!(await newChats.begin(id, jid, { most, now }))) throw reached(most, now);
};

/** Throws Forbidden for a person who is on the user's list. Groups are not. */
export const mayWriteTo = async (
  { suppressions }: Pick<Stores, 'suppressions'>,
  { id, userId }: DeviceRuntime,
  recipient: Recipient,
): Promise<void> => {
  if (recipient.kind === 'group' || !suppressions.users.has(userId)) return;
  const named = recipient.kind === 'number' ? [phoneJid(recipient.number), recipient.jid] : [recipient.jid];
  for (const jid of new Set(named)) {
    if (await suppressions.has(id, jid))
      throw new HandsetError(
        'Forbidden',
        'This number is on your suppression list. Remove it from the list to send again',
      );
  }
};

/** Writing to numbers that do not exist is what gets accounts restricted: unknown ones are refused here. */
export const onNetwork = async (session: NetworkSession, recipient: Recipient): Promise<Recipient> => {
  if (recipient.kind !== 'number') return recipient;
  const jid = await session.lookUp(recipient.number);
  if (jid === null) throw numberUnknown();
  return { ...recipient, jid };
};

interface CheckParts {
  readonly stores: Pick<Stores, 'newChats' | 'suppressions'>;
  readonly clock: Clock;
}

/** Throws, before a file is fetched or decoded, what its send would be refused with. Counts no new chat; what fails otherwise is left to the send. */
export const checkRecipient = async (
  { stores, clock }: CheckParts,
  runtime: DeviceRuntime,
  session: NetworkSession,
  recipient: Recipient,
): Promise<void> => {
  try {
    const to = await onNetwork(session, recipient);
    if (to !== recipient) await mayWriteTo(stores, runtime, to);
    const most = runtime.settings.newChatsPerDay;
    // With none left, nothing is counted.
    if (most !== null && (await stores.newChats.count(runtime.id, clock.now())) >= most)
      await beginChat(stores, runtime, to, clock);
  } catch (error) {
    if (isRefusal(error)) throw error;
  }
};
