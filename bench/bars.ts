/** What each figure has to reach, and what the short form holds it to. */

export interface Bar {
  /** Better when it is more, or when it is less. */
  readonly better: 'more' | 'less';
  readonly bar: number;
  /**
   * What is reached so far, beside other work too, where that is less than the bar. The short form holds the figure to this until the
   * bar is reached; then the line goes.
   */
  readonly reached?: number;
  readonly what: string;
}

/** Only ratios: they mean the same on every machine. */
export const bars: Readonly<Record<string, Bar>> = {
  memoryRatio: { better: 'less', bar: 1, what: 'memory of an idle device, against a bare socket' },
  sendRatio1: { better: 'more', bar: 1.5, reached: 1.1, what: 'texts a second with one device, against a bare socket' },
  sendRatio20: { better: 'more', bar: 3, reached: 1.3, what: 'texts a second with 20 devices, against bare sockets' },
  imageRatio: { better: 'more', bar: 0.85, reached: 0.8, what: 'images a second, against a bare socket' },
  imageCopies: { better: 'less', bar: 3, what: 'times that an image of 10 MB is in memory at the peak' },
  receiveRatio: {
    better: 'more',
    bar: 1,
    what: 'messages a second to the webhook, against what a bare socket decrypts',
  },
  receiveRatio20: { better: 'more', bar: 2, reached: 1, what: 'the same with 20 devices' },
  perCoreRatio: { better: 'more', bar: 3, reached: 1.4, what: 'texts a second and core, against a bare socket' },
};

/** A third below what the short form holds it to. */
export const hasFallen = ({ better, bar, reached = bar }: Bar, value: number): boolean =>
  better === 'more' ? value < (reached * 2) / 3 : value > reached * 1.5;
