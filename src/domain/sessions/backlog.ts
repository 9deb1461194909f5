/** The backlog of a connection: what waited at the network while the device was away. */

export interface Backlog {
  /** `stalled`: the network has fallen silent before the end. */
  readonly state: 'receiving' | 'complete' | 'stalled';
  /** Number of stanzas that the network announced, an estimate; null: it announced none. */
  readonly announced: number | null;
  /** Number of stanzas that were requested. */
  readonly requested: number;
  /** Number of stanzas that came. */
  readonly received: number;
  /** When it was announced, ms. */
  readonly startedAt: number;
  /** When the network said that it was the last, ms; null before. */
  readonly completedAt: number | null;
}

export const stalledWords = ({ received, announced }: Backlog): string =>
  `The network has not finished delivering what waited: ${received} of about ${announced ?? 'an unknown number of'} stanzas came. ` +
  'New messages may be held back until then: restart the device to request the rest.';
