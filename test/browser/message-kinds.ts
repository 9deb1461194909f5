/** A message of each kind, as a phone writes it, and what the dashboard shows of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const file = (name: string): string => readFileSync(join(import.meta.dirname, 'files', name)).toString('base64');

const videoBase64 = file('clip.mp4');
const audioBase64 = file('voice.ogg');
const imageBase64 = file('landscape.png');
const stickerBase64 = file('sticker.webp');
const waveform = Array.from({ length: 64 }, (_, n) => Math.round(50 + 45 * Math.sin(n / 3) * Math.cos(n / 11)));

export interface Kind {
  readonly name: string;
  /** The body of the sandbox's call that writes it. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Texts that its bubble shows, all of them. */
  readonly shows: readonly (string | RegExp)[];
  /** Links in its bubble: their words and where they lead. */
  readonly links?: Readonly<Record<string, string>>;
}

export const kinds: readonly Kind[] = [
  {
    name: 'a location',
    body: {
      location: { latitude: 52.52, longitude: 13.405, name: 'Warehouse', address: 'Dock Road 5', accuracyMeters: 12 },
    },
    shows: ['Location', 'Warehouse', 'Dock Road 5', '52.52000, 13.40500', 'Accurate to 12 metres'],
    links: { 'Open map': 'https://www.openstreetmap.org/?mlat=52.52&mlon=13.405#map=16/52.52/13.405' },
  },
  {
    name: 'a live location',
    body: { location: { latitude: -33.86, longitude: 151.2, live: true } },
    shows: ['Live location', '-33.86000, 151.20000'],
    links: { 'Open map': 'https://www.openstreetmap.org/?mlat=-33.86&mlon=151.2#map=16/-33.86/151.2' },
  },
  {
    name: 'a contact',
    body: { contacts: [{ name: 'Carol Reyes', numbers: ['4915550007777'], organization: 'Reyes Freight' }] },
    shows: ['Carol Reyes', 'Reyes Freight', /4915550007777/],
  },
  {
    name: 'several contacts',
    body: { contacts: ['Dan', 'Erin', 'Finn', 'Grace'].map((name, n) => ({ name, numbers: [`491555000900${n}`] })) },
    shows: ['Dan', 'Erin', 'Finn', 'Show all 4 contacts'],
  },
  {
    name: 'a poll',
    body: { poll: { question: 'When shall we deliver?', options: ['Monday', 'Tuesday', 'Friday'], maxAnswers: 2 } },
    shows: ['When shall we deliver?', 'Select up to 2', 'Monday', 'Tuesday', 'Friday'],
  },
  {
    name: 'an event',
    body: {
      event: { name: 'Handover', description: 'Bring the papers', startsAt: '2031-03-04T09:00:00Z', place: 'Gate 4' },
    },
    shows: ['Event', 'Handover', 'Bring the papers', /^Starts 4 Mar 2031/, 'Gate 4'],
  },
  {
    name: 'a canceled event',
    body: { event: { name: 'Picnic', canceled: true } },
    shows: ['Canceled', 'Picnic'],
  },
  {
    name: 'an image',
    body: { imageBase64, caption: 'The parcel' },
    shows: ['Show image', 'The parcel'],
  },
  { name: 'a sticker', body: { stickerBase64, mimetype: 'image/webp' }, shows: ['Show sticker'] },
  {
    name: 'a video',
    body: { videoBase64, caption: 'See for yourself', seconds: 1, width: 160, height: 120 },
    shows: ['See for yourself'],
  },
  { name: 'a GIF', body: { type: 'gif', videoBase64, width: 160, height: 120 }, shows: [] },
  { name: 'a voice message', body: { type: 'voice', audioBase64, seconds: 10, waveform }, shows: ['0:10'] },
  {
    name: 'a document',
    body: {
      documentBase64: Buffer.from('%PDF-1.4').toString('base64'),
      fileName: 'Invoice 4711.pdf',
      mimetype: 'application/pdf',
    },
    shows: ['Invoice 4711.pdf', /^PDF · \d+ byte/, 'Download'],
  },
  {
    name: 'a link',
    body: {
      text: 'Track it at https://example.com/t/1.',
      link: { url: 'https://example.com/t/1', title: 'Parcel 1', description: 'On its way' },
    },
    shows: ['Parcel 1', 'On its way', 'example.com'],
    links: { 'Parcel 1': 'https://example.com/t/1', 'https://example.com/t/1': 'https://example.com/t/1' },
  },
  { name: 'a forwarded text', body: { text: 'Please pass on', forwarded: 2 }, shows: ['Forwarded', 'Please pass on'] },
  { name: 'a chain letter', body: { text: 'Send it to all', forwarded: 127 }, shows: ['Forwarded many times'] },
  {
    name: 'the first message from an advertisement',
    body: {
      text: 'Is it still available?',
      referral: {
        sourceType: 'ad',
        sourceUrl: 'https://fb.me/abc',
        title: 'Shoes',
        body: 'All sizes',
        mediaUrl: 'https://example.com/shoes.jpg',
      },
    },
    shows: ['From an advertisement', 'Shoes', 'All sizes', 'Is it still available?'],
    links: { 'Open advertisement': 'https://fb.me/abc' },
  },
  {
    name: 'an invitation to a group',
    body: {
      groupInvite: {
        group: '120363000000000001@g.us',
        subject: 'Night shift',
        code: 'abc',
        expiresAt: '2031-03-04T09:00:00Z',
      },
      caption: 'Join us',
    },
    shows: ['Group invitation', 'Night shift', /^Valid until 4 Mar 2031/, 'Accept it on your phone.', 'Join us'],
  },
  {
    name: 'the reply to a button',
    body: { selection: { id: 'yes', text: 'Yes, please' } },
    shows: ['Selected option', 'Yes, please'],
  },
  {
    name: 'a product',
    body: { product: { id: '1', title: 'Shoes' } },
    shows: ['Product', 'Shoes'],
  },
  {
    name: 'an order',
    body: { order: { id: '1', title: 'Two pairs', items: 2 } },
    shows: ['Order', '2 items', 'Two pairs'],
  },
  {
    name: 'a payment',
    body: { payment: { amount: 5, currency: 'EUR' }, caption: 'For lunch' },
    shows: ['Payment. Open it on your phone to see the amount.', 'For lunch'],
  },
  { name: 'a call', body: { callLog: { outcome: 'missed' } }, shows: ['Call. Your phone has the details.'] },
  {
    name: 'a line of the system',
    body: { system: 'limitSharing' },
    shows: ['Notice from WhatsApp. Open the chat on your phone to see it.'],
  },
  {
    name: 'a kind that nobody knows',
    body: { message: { highlyStructuredMessage: {} } },
    shows: ['Handset cannot show this kind of message. Open it on your phone.'],
  },
  {
    name: 'an image to be viewed once',
    body: { imageBase64, viewOnce: true },
    shows: ['View-once message. Open it on your phone.'],
  },
  {
    name: 'a message that the network withholds',
    body: { text: 'secret', withheld: 'viewOnce' },
    shows: ['View-once message. Open it on your phone.'],
  },
];

const markup = '<img src=x onerror="window.hacked = 1"><script>window.hacked = 1</script>';
const script = 'javascript:window.hacked=1';

/** Messages of a hostile sender: all of it is text. */
export const hostile: readonly Kind[] = [
  {
    name: 'markup in a text',
    body: { text: `${markup} ${script} data:text/html,hi` },
    shows: [`${markup} ${script} data:text/html,hi`],
  },
  {
    name: 'markup in a contact',
    body: {
      contacts: [
        {
          name: markup,
          numbers: ['4915550007777'],
          organization: markup,
          vcard: `BEGIN:VCARD\nVERSION:3.0\nFN:${markup}\nTEL:${script}\nTEL;waid=4915550007777:+49\nORG:${markup}2\nURL:${script}\nPHOTO;VALUE=URI:https://example.com/x.png\nEND:VCARD`,
        },
      ],
    },
    shows: [markup, `${markup}2`, '4915550007777'],
  },
  {
    name: 'a script as a link',
    body: { text: `See ${script}`, link: { url: script, title: markup, description: markup } },
    shows: [`See ${script}`],
  },
  {
    name: 'a script as an advertisement',
    body: { text: 'Hi', referral: { sourceType: 'ad', sourceUrl: script, title: markup, mediaUrl: script } },
    shows: ['From an advertisement', markup],
  },
  {
    name: 'markup in an event',
    body: { event: { name: markup, description: `${markup}!`, place: `${markup}?` } },
    shows: [markup, `${markup}!`, `${markup}?`],
  },
  {
    name: 'markup in a place',
    body: { location: { latitude: 1, longitude: 2, name: markup } },
    shows: [markup],
    links: { 'Open map': 'https://www.openstreetmap.org/?mlat=1&mlon=2#map=16/1/2' },
  },
  {
    name: 'markup in a poll',
    body: { poll: { question: markup, options: [markup, `${markup}2`] } },
    shows: ['Select one', `${markup}2`],
  },
  {
    name: 'a file that hides what it is',
    body: {
      documentBase64: Buffer.from(markup).toString('base64'),
      fileName: 'invoice\u202Efdp.exe',
      mimetype: 'text/html',
    },
    shows: ['invoicefdp.exe', /^EXE · /],
  },
  {
    name: 'a page as a video',
    body: { videoBase64: Buffer.from(markup).toString('base64'), mimetype: 'text/html' },
    shows: [],
  },
];
