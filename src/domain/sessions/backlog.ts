/** The backlog of a connection: what the network has queued for the device. */

export interface Backlog {
  /** `stalled`: the network went silent before the end. */
  readonly state: 'receiving' | 'complete' | 'stalled';
  readonly announced: number | null;
  readonly requested: number;
  readonly received: number;
  readonly startedAt: number;
  readonly completedAt: number | null;
}

export const stalledWords = ({ received, announced }: Backlog): string =>
  `The network has not finished delivering what waited: ${received} of about ${announced ?? 'an unknown number of'} stanzas came. ` +
  'New messages may be held back until then: restart the device to request the rest.';
