/** Maps the cause of a failed send to the caller's error. */
import { limitInForce } from '../../domain/account-limits.ts';
import type { Clock } from '../../domain/clock.ts';
import { isAdministrator } from '../../domain/groups/changes.ts';
import { LeaseLost } from '../../domain/lease.ts';
import { isMedia, type OutgoingMessage } from '../../domain/messages/outgoing.ts';
import { type ErrorName, HandsetError, type HandsetErrorOptions } from '../../errors.ts';
import type { StoredGroups } from '../groups/stored-groups.ts';
import { meOf, myself } from '../identity/people.ts';
import { NoSuchAccount } from '../identity/addressing.ts';
import type { Session } from '../session.ts';
import type { Limits } from './account-limits.ts';
import { noSuchChat, notAMember, SendRefused } from './server-ack.ts';

/** Time lock, cap, missing token, or wrong namespace (evolution-go #50, 2026-08-11; OpenWA #717, 2026-07-12). */
const notAllowed = '463';
const capReached = '475';
/** Reported for group messages, without a cause (whatsmeow #380, 2023-04). */
const notAllowedInGroup = '420';

const unnamed: Readonly<Record<string, string>> = {
  [notAllowed]:
    'the network refuses the chat (463) and tells of no restriction of the account: a token of this chat is missing, which comes with a message from the other side, or the address is outdated; let them write first, and do not try again and again',
  [capReached]: 'the account has begun as many new chats as the network allows for now (475)',
};

const unanswered: Readonly<Record<string, string>> = {
  [notAllowed]:
    'the network refuses the chat (463) and does not say why: the account may be restricted, a token of this chat may be missing, or the address outdated; let them write first, and do not try again and again',
};

/** Why the account may not begin the chat; null for other errors. Asks the network, for a few seconds at most. */
export const limitRefusal = async (
  { limits }: { readonly limits: Pick<Limits, 'ask' | 'known'> },
  clock: Clock,
  error: unknown,
): Promise<string | null> => {
  if (!(error instanceof SendRefused) || (error.code !== notAllowed && error.code !== capReached)) return null;
  const { code } = error;
  const answered = await limits.ask();
  const inForce = limitInForce(limits.known, clock.now());
  if (inForce !== null) return `the account ${inForce}`;
  return (answered ? undefined : unanswered[code]) ?? unnamed[code] ?? null;
};

/** Asks the network, since a notification may be under way. */
const isForAdministrators = async (
  { storedGroups, creds }: Pick<Session, 'creds'> & { readonly storedGroups: Pick<StoredGroups, 'current'> },
  { recipient }: OutgoingMessage,
  cause: unknown,
): Promise<boolean> => {
  if (recipient.kind !== 'group' || !(cause instanceof SendRefused) || cause.code !== notAllowedInGroup) return false;
  const group = await storedGroups.current(recipient.jid, true).catch(() => null);
  return group?.announceOnly === true && !isAdministrator(group, myself(meOf(creds)));
};

const plainNames: ReadonlySet<ErrorName> = new Set([
  'InvalidRequest',
  'Forbidden',
  'RateLimited',
  'RequestTimeout',
  'DeviceNotConnected',
  'SendFailed',
  'SendMediaFailed',
  'Unavailable',
] as const);

/** Longer than clients wait by themselves: each attempt makes a restriction more likely. */
const refusedSeconds = 600;

/** InvalidRequest if the chat does not exist for this account; null for other errors. */
const unknownChat = ({ kind }: OutgoingMessage['recipient'], cause: unknown): HandsetError | null => {
  if (cause instanceof NoSuchAccount || (cause instanceof SendRefused && cause.code === noSuchChat)) {
    const member = kind === 'number' ? 'toNumber' : kind === 'username' ? 'toUsername' : 'to';
    const what = kind === 'group' ? 'group' : 'account';
    const reason = kind === 'number' ? 'number_not_on_network' : 'account_not_on_network';
    const why = `${member} is not on the network: there is no such ${what}`;
    return new HandsetError('InvalidRequest', why, { cause, reason });
  }
  if (kind !== 'group' || !(cause instanceof SendRefused) || cause.code !== notAMember) return null;
  const why = 'to cannot be written to: the account is not in this group';
  return new HandsetError('InvalidRequest', why, { cause, reason: 'group_not_writable' });
};

export const failureOf = ({ content, recipient }: OutgoingMessage, cause: unknown, why: string | null): Error => {
  // The device moves: its new node answers the request.
  if (cause instanceof LeaseLost || (cause instanceof HandsetError && plainNames.has(cause.name))) return cause;
  const refused = unknownChat(recipient, cause);
  if (refused !== null) return refused;
  const options: HandsetErrorOptions =
    why === null ? { cause } : { cause, retryAfterSeconds: refusedSeconds, reason: 'refused_by_network' };
  const words = why === null ? '' : `: ${why}`;
  return isMedia(content)
    ? new HandsetError('SendMediaFailed', `Failed to send media message${words}`, options)
    : new HandsetError('SendFailed', `Failed to send message${words}`, options);
};

export const sendFailure = async (session: Session, message: OutgoingMessage, cause: unknown): Promise<Error> => {
  const { deviceId, clock, log } = session;
  log.warn({ deviceId, error: cause instanceof Error ? cause.message : 'unknown' }, 'a message was not sent');
  if (await isForAdministrators(session, message, cause)) {
    const why = 'to cannot be written to: only administrators write in this group';
    return new HandsetError('InvalidRequest', why, { cause, reason: 'group_not_writable' });
  }
  return failureOf(message, cause, await limitRefusal(session, clock, cause));
};
