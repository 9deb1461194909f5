/** Counters of a phone: the proof of what it could read, and how often it had to ask again. */
import type { PhoneCounters } from './context.ts';

export const newCounters = (): PhoneCounters => ({
  sent: 0,
  received: 0,
  duplicates: 0,
  decryptFailures: 0,
  reusedKeys: 0,
  destinationMismatches: 0,
  mediaFailures: 0,
  retriesAsked: 0,
  retriesAnswered: 0,
  peerReceipts: 0,
  historyReceipts: 0,
  wrappedPeerMessages: 0,
});

export const addCounters = (a: PhoneCounters, b: PhoneCounters): PhoneCounters => ({
  sent: a.sent + b.sent,
  received: a.received + b.received,
  duplicates: a.duplicates + b.duplicates,
  decryptFailures: a.decryptFailures + b.decryptFailures,
  reusedKeys: a.reusedKeys + b.reusedKeys,
  destinationMismatches: a.destinationMismatches + b.destinationMismatches,
  mediaFailures: a.mediaFailures + b.mediaFailures,
  retriesAsked: a.retriesAsked + b.retriesAsked,
  retriesAnswered: a.retriesAnswered + b.retriesAnswered,
  peerReceipts: a.peerReceipts + b.peerReceipts,
  historyReceipts: a.historyReceipts + b.historyReceipts,
  wrappedPeerMessages: a.wrappedPeerMessages + b.wrappedPeerMessages,
});
