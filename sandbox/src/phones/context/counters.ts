/** Counters of a phone: the proof of what it could read, and how often it had to ask again. */

const zero = {
  sent: 0,
  received: 0,
  /** Messages whose id had been seen before. */
  duplicates: 0,
  decryptFailures: 0,
  /** Keys of a ratchet or sender key that have encrypted two different messages. */
  reusedKeys: 0,
  /** Copies of the account's own messages that name the chat in another namespace than their stanza does. */
  destinationMismatches: 0,
  mediaFailures: 0,
  retriesAsked: 0,
  retriesAnswered: 0,
  /** Messages to companions (history, keys) that they have receipted, and chunks of history among them that they have receipted as such. */
  peerReceipts: 0,
  historyReceipts: 0,
  /** Requests of companions that were wrapped in `deviceSentMessage`, or not marked as peer messages, and were left unanswered for it. */
  wrappedPeerMessages: 0,
};

export type PhoneCounters = typeof zero;

export const newCounters = (): PhoneCounters => ({ ...zero });

export const addCounters = (sum: PhoneCounters, more: Readonly<PhoneCounters>): PhoneCounters => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of an object of this shape
  for (const name of Object.keys(zero) as (keyof PhoneCounters)[]) sum[name] += more[name];
  return sum;
};
