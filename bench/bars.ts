/** What each figure has to reach. */

export interface Bar {
  /** Better when it is more, or when it is less. */
  readonly better: 'more' | 'less';
  readonly bar: number;
  readonly what: string;
}

/** Floors, not goals: above them the shorter code wins. Only ratios: they mean the same on every machine. */
export const bars: Readonly<Record<string, Bar>> = {
  memoryRatio: { better: 'less', bar: 0.5, what: 'memory of an idle device, against a bare socket' },
  sendRatio1: { better: 'more', bar: 1.5, what: 'texts a second with one device, against a bare socket' },
  sendRatio20: { better: 'more', bar: 2, what: 'texts a second with 20 devices, against bare sockets' },
  imageRatio: { better: 'more', bar: 0.85, what: 'images a second, against a bare socket' },
  imageCopies: { better: 'less', bar: 3, what: 'times that an image of 10 MB is in memory at the peak' },
  receiveRatio: {
    better: 'more',
    bar: 1,
    what: 'messages a second to the webhook, against what a bare socket decrypts',
  },
  receiveRatio20: { better: 'more', bar: 1.7, what: 'the same with 20 devices' },
  perCoreRatio: { better: 'more', bar: 2, what: 'texts a second and core, against a bare socket' },
};

/** Times and the like, on two cores: the table tells them, and the short form holds nobody to them. */
export const goals: Readonly<Record<string, Bar>> = {
  sendAddedP99Ms: { better: 'less', bar: 3, what: 'of a text at half load more than a bare socket, p99' },
  coldStartMs: { better: 'less', bar: 500, what: 'from the start until it is ready' },
  reconnect50Seconds: { better: 'less', bar: 2, what: '50 devices connected again after a stop' },
  reconnect50AfterKillSeconds: { better: 'less', bar: 2, what: 'the same after a kill' },
  reconnect1000Seconds: { better: 'less', bar: 30, what: '1,000 devices connected again after a stop' },
  reconnect1000AfterKillSeconds: { better: 'less', bar: 30, what: 'the same after a kill' },
  list1000Ms: { better: 'less', bar: 10, what: 'the list of 1,000 devices' },
  sandboxRatio: {
    better: 'more',
    bar: 1.5,
    what: 'texts a second of CPU that the sandbox carries, against what the driver sends',
  },
  sandboxMb: { better: 'less', bar: 1000, what: 'memory of the sandbox with 2,000 connections' },
};

export const isReached = ({ better, bar }: Bar, value: number): boolean =>
  better === 'more' ? value >= bar : value <= bar;

/** A third behind its bar. */
export const hasFallen = ({ better, bar }: Bar, value: number): boolean =>
  better === 'more' ? value < (bar * 2) / 3 : value > bar * 1.5;
