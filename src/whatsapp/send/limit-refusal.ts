/**
 * Explains why the network does not let a message begin a chat. 463 has several causes with one code: the time lock, the cap, a
 * missing token, and an address of the other kind (Baileys #2441, 2026-03-25; evolution-go #50, 2026-08-11; OpenWA #717,
 * 2026-07-12). 475 is the cap of new chats (zapo protocol/message.ts, 2026-08-19).
 */
import { limitInForce } from '../../domain/account-limits.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Limits } from './account-limits.ts';
import { SendRefused } from './server-ack.ts';

const notAllowed = '463';
const capReached = '475';

const unnamed: Readonly<Record<string, string>> = {
  [notAllowed]:
    'the network refuses the chat (463) and tells of no restriction of the account: a token of this chat is missing, which comes with a message from the other side, or the address is outdated; let them write first, and do not try again and again',
  [capReached]: 'the account has begun as many new chats as the network allows for now (475)',
};

const unanswered: Readonly<Record<string, string>> = {
  [notAllowed]:
    'the network refuses the chat (463) and does not say why: the account may be restricted, a token of this chat may be missing, or the address outdated; let them write first, and do not try again and again',
};

/** Null for an error that has nothing to do with it. Asks the network, a few seconds at most. */
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
