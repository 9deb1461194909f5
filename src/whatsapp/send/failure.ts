/** Translates the reason why a message was not sent into the error that its caller gets. */
import { limitInForce } from '../../domain/account-limits.ts';
import type { Clock } from '../../domain/clock.ts';
import { isAdministrator } from '../../domain/groups/changes.ts';
import { LeaseLost } from '../../domain/lease.ts';
import { isMedia, type OutgoingMessage } from '../../domain/messages/outgoing.ts';
import { type ErrorName, HandsetError, type HandsetErrorOptions } from '../../errors.ts';
import type { GroupKeeper } from '../groups/keeper.ts';
import { meOf } from '../identity/account.ts';
import { NoSuchAccount } from '../identity/addressing.ts';
import { myself } from '../identity/people.ts';
import type { Session } from '../session.ts';
import type { Limits } from './account-limits.ts';
import { noSuchChat, notAMember, SendRefused } from './server-ack.ts';

/**
 * 463 has several causes with one code: the time lock, the cap, a missing token, and an address of the other kind (Baileys #2441, 2026-03-25;
 * evolution-go #50, 2026-08-11; OpenWA #717, 2026-07-12).
 */
const notAllowed = '463';
/** The cap of new chats (zapo protocol/message.ts, 2026-08-19). */
const capReached = '475';
/** A group refuses the account as it is (whatsmeow #380, 2023-04: reported of groups, without its cause). */
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

/** Why the account may not begin the chat; null if the error is another one. Asks the network, a few seconds at most. */
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

/** Whether only administrators write in the group. Asks the network, since a notice of that may be on its way. */
const isForAdministrators = async (
  { groupKeeper, creds }: Pick<Session, 'creds'> & { readonly groupKeeper: Pick<GroupKeeper, 'current'> },
  { recipient: { kind, jid } }: OutgoingMessage,
  cause: unknown,
): Promise<boolean> => {
  if (kind !== 'group' || !(cause instanceof SendRefused) || cause.code !== notAllowedInGroup) return false;
  const group = await groupKeeper.current(jid, true).catch(() => null);
  return group?.announceOnly === true && !isAdministrator(group, myself(meOf(creds)));
};

/** Errors that say themselves what is wrong. */
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

/** Longer than any client waits by itself: each further attempt makes a restriction more likely. */
const refusedSeconds = 600;

/** InvalidRequest if the chat does not exist for this account; null for other errors. */
const unknownChat = ({ kind }: OutgoingMessage['recipient'], cause: unknown): HandsetError | null => {
  if (cause instanceof NoSuchAccount || (cause instanceof SendRefused && cause.code === noSuchChat)) {
    const member = kind === 'number' ? 'toNumber' : 'to';
    const what = kind === 'group' ? 'group' : 'account';
    const reason = kind === 'number' ? 'number_not_on_network' : 'account_not_on_network';
    const why = `${member} is not on the network: there is no such ${what}`;
    return new HandsetError('InvalidRequest', why, { cause, reason });
  }
  if (kind !== 'group' || !(cause instanceof SendRefused) || cause.code !== notAMember) return null;
  const why = 'to cannot be written to: the account is not in this group';
  return new HandsetError('InvalidRequest', why, { cause, reason: 'group_not_writable' });
};

/** `why`: the network's reason, if a person can do something about it. */
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

export const sendFailure = async (link: Session, message: OutgoingMessage, cause: unknown): Promise<Error> => {
  const { deviceId, clock, log } = link;
  log.warn({ deviceId, error: cause instanceof Error ? cause.message : 'unknown' }, 'a message was not sent');
  if (await isForAdministrators(link, message, cause)) {
    const why = 'to cannot be written to: only administrators write in this group';
    return new HandsetError('InvalidRequest', why, { cause, reason: 'group_not_writable' });
  }
  return failureOf(message, cause, await limitRefusal(link, clock, cause));
};
