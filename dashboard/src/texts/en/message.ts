/** The content of a message and what stands around it. */
import type { EventAnswer, MessageType } from '../../api/message.ts';
import { count, duration, inside, number, you } from './words.ts';

/** Kinds that the dashboard cannot show, and where they can be seen. */
const elsewhere: Readonly<Partial<Record<MessageType, string>>> = {
  album: 'Album. Its pictures and videos follow as messages.',
  order: 'Order. Open it on your phone to see its items.',
  product: 'Product. Open it on your phone to see its price.',
  payment: 'Payment. Open it on your phone to see the amount.',
  callLog: 'Call. Your phone has the details.',
  system: 'Notice from WhatsApp. Open the chat on your phone to see it.',
  unknown: 'Handset cannot show this kind of message. Open it on your phone.',
};

const answers: Readonly<Record<EventAnswer, string>> = { going: 'Going', maybe: 'Maybe', notGoing: 'Not going' };

export const message = {
  message: {
    file: {
      showImage: 'Show image',
      showSticker: 'Show sticker',
      showVideo: 'Show video',
      showGif: 'Show GIF',
      image: (name: string) => `Image from ${inside(name)}`,
      sticker: (name: string) => `Sticker from ${inside(name)}`,
      video: (name: string) => `Video from ${inside(name)}`,
      download: 'Download',
      document: 'Document',
      notShown: 'Your browser cannot show this file.',
      notPlayed: 'Your browser cannot play this file.',
    },
    sound: { play: 'Play', pause: 'Pause', position: 'Position', voice: 'Voice message', audio: 'Audio' },
    location: {
      title: 'Location',
      live: 'Live location',
      accuracy: (meters: number) => `Accurate to ${count(meters, 'metre', 'metres')}`,
      map: 'Open map',
      none: 'No coordinates',
    },
    contact: { unnamed: 'Unnamed contact', all: (n: number) => `Show all ${count(n, 'contact', 'contacts')}` },
    poll: {
      title: 'Poll',
      one: 'Select one',
      several: (most: number) => `Select up to ${number(most)}`,
      votes: (n: number) => count(n, 'vote', 'votes'),
      voters: (n: number) => (n === 0 ? 'No votes yet' : count(n, 'person has voted', 'people have voted')),
    },
    event: {
      title: 'Event',
      canceled: 'Canceled',
      starts: (when: string) => `Starts ${when}`,
      ends: (when: string) => `Ends ${when}`,
      answers,
      guests: (n: number) => (n === 0 ? '' : ` + ${number(n)}`),
    },
    order: {
      title: 'Order',
      count: (items: number) => (items === 1 ? '1 item' : `${items} items`),
      sum: (amount: string) => `Order total: ${amount}`,
      unnamed: 'Product without a name',
    },
    invite: {
      title: 'Group invitation',
      expires: (when: string) => `Valid until ${when}`,
      expired: 'Expired',
      hint: 'Accept it on your phone.',
    },
    forwarded: { once: 'Forwarded', often: 'Forwarded many times' },
    selection: 'Selected option',
    referral: { title: 'From an advertisement', open: 'Open advertisement' },
    quote: {
      unknown: 'Quoted message',
      goTo: (name: string) => (name === you ? 'Go to your quoted message' : `Go to the quoted message of ${name}`),
    },
    reactions: 'Reactions',
    receipts: {
      title: 'Receipts',
      person: 'Person',
      delivered: 'Delivered',
      read: 'Read',
      none: 'Nobody has received this message yet.',
    },
    edited: 'Edited',
    pinned: 'Pinned',
    starred: 'Starred',
    expires: (seconds: number) => `Disappears after ${duration(seconds)}`,
    timer: {
      on: (seconds: number) => `Messages disappear after ${duration(seconds)}.`,
      onBy: (name: string, seconds: number) =>
        name === you
          ? `You set messages to disappear after ${duration(seconds)}.`
          : `${name} set messages to disappear after ${duration(seconds)}.`,
      off: 'Disappearing messages are off.',
      offBy: (name: string) => `${name} turned off disappearing messages.`,
    },
    elsewhere,
  },
} as const;
