/** The backlog of a connection: what the network has queued for the device. */

export interface Backlog {
  /** `stalled`: the network went silent before the end. */
  readonly state: 'receiving' | 'complete' | 'stalled';
  /** Number of stanzas announced, an estimate; null: none. */
  readonly announced: number | null;
  /** Number of stanzas requested. */
  readonly requested: number;
  /** Number of stanzas received. */
  readonly received: number;
  /** When it was announced, ms. */
  readonly startedAt: number;
  /** When the network reported its end, ms; null before. */
  readonly completedAt: number | null;
}

export const stalledWords = ({ received, announced }: Backlog): string =>
  `The network has not finished delivering what waited: ${received} of about ${announced ?? 'an unknown number of'} stanzas came. ` +
  'New messages may be held back until then: restart the device to request the rest.';
