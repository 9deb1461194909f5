/** Differences in what is opened once, in albums and in round notes. */
import type { Entry } from './explain.ts';

const small = 'small kinds';

export const smallKinds: readonly Entry[] = [
  {
    id: 'view-once',
    patterns: [
      '- message {*viewOnceMessage: {message: {imageMessage: *',
      '+ message {imageMessage: {* viewOnce: true*',
      '+ *<message *<meta view_once="true"/>*',
    ],
    scenarios: [small],
  },
  {
    id: 'album-child',
    patterns: [
      '- *message {*imageMessage: *associationType: "MEDIA_ALBUM"*',
      '+ *message {*associationType: "MEDIA_ALBUM"*associatedChildMessage: *',
    ],
    scenarios: [small],
  },
  {
    id: 'note-size',
    patterns: ['- message {*ptvMessage: *', '+ message {*ptvMessage: {*height: *'],
    scenarios: [small],
  },
];
