/** MCP tools that send: texts, files, locations, contacts, polls, and messages forwarded. */
import { z } from 'zod';
import { recipientOf } from '../command/people.ts';
import { message, pathOf, acts, addTool, device, type Tools } from './tool.ts';
import { idempotencyHeader } from '../client/client.ts';

const to = z
  .string()
  .min(1)
  .describe('Recipient: a phone number with country code, or a JID (…@s.whatsapp.net, …@lid, …@g.us)');

const idempotencyKey = z
  .string()
  .min(1)
  .max(255)
  .optional()
  .describe('The same key and message are sent once only: give one when a send may be repeated');

const quotedMessageId = z.string().min(1).optional().describe('Id of the message of this chat that it answers');

const common = { device, to, quotedMessageId, idempotencyKey };

const sent = z.object({ messageId: z.string() });

interface Given {
  readonly device: number;
  readonly to: string;
  readonly idempotencyKey?: string | undefined;
}

const send = ({ client }: Tools, kind: string, { device: id, to: recipient, idempotencyKey: key, ...content }: Given) =>
  client.call<object>(
    'POST',
    `/devices/${id}/messages/${kind}`,
    { ...recipientOf(recipient), ...content },
    idempotencyHeader(key),
  );

const accepted = 'Success means that the network has accepted it';

const registerWords = (tools: Tools): void => {
  addTool(tools, {
    name: 'send_text',
    title: 'Send a text',
    description: `Sends a text message. ${accepted}`,
    input: z.object({
      ...common,
      message: z.string().min(1).max(65_536),
      linkPreview: z.boolean().optional().describe('With a preview of the first link'),
    }),
    output: sent,
    hints: acts,
    run: (given) => send(tools, 'text', given),
  });
  addTool(tools, {
    name: 'forward_message',
    title: 'Forward a message',
    description: 'Forwards a message to a person or a group',
    input: z.object({ ...message, to }),
    output: sent,
    hints: acts,
    run: (given) =>
      tools.client.call(
        'POST',
        `${pathOf(given)}/forward`,
        recipientOf(given.to),
        idempotencyHeader(given.idempotencyKey),
      ),
  });
};

/** Path and extra body fields by kind of media. */
const mediaCalls = {
  image: ['media', {}],
  document: ['document', {}],
  video: ['video', {}],
  gif: ['video', { gif: true }],
  audio: ['audio', {}],
  voice: ['audio', { voice: true }],
  sticker: ['sticker', {}],
} as const;

const registerMedia = (tools: Tools): void =>
  addTool(tools, {
    name: 'send_media',
    title: 'Send a file',
    description: `Sends an image (PNG, JPEG, GIF, WebP; at most 10 MB), a document of any kind, a video (MP4 with H.264 and AAC), a gif (the same, without sound), audio (MP3, M4A, AAC, Ogg Opus), a voice message (Ogg Opus, one channel) or a sticker (WebP, or PNG, JPEG and GIF, which are converted). Other forms work if the service has ffmpeg. Exactly one of mediaUrl (up to 100 MB), mediaBase64 (up to 10 MB) and fileId (of a file that was uploaded by POST /v1/devices/{id}/files within the hour). ${accepted}`,
    input: z.object({
      ...common,
      as: z.enum(['image', 'document', 'video', 'gif', 'audio', 'voice', 'sticker']),
      mediaUrl: z.url().optional(),
      mediaBase64: z.string().optional(),
      fileId: z.string().min(1).max(64).optional().describe('Id that an upload answered'),
      caption: z.string().max(1024).optional().describe('Of an image, a document, a video or a gif'),
      fileName: z.string().min(1).max(255).optional().describe('Of a document; recognised if omitted'),
    }),
    output: sent,
    hints: acts,
    run: ({ as, caption: mediaCaption, ...given }) => {
      const [kind, more] = mediaCalls[as];
      return send(tools, kind, { ...given, ...more, ...(mediaCaption !== undefined && { mediaCaption }) });
    },
  });

const place = {
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
  name: z.string().min(1).max(1_024).optional(),
  address: z.string().min(1).max(1_024).optional(),
};

const contact = z.object({
  name: z.string().min(1).max(100),
  numbers: z.array(z.string()).min(1).max(10).describe('Digits with country code'),
  organization: z.string().min(1).max(100).optional(),
});

const registerCards = (tools: Tools): void => {
  addTool(tools, {
    name: 'send_location',
    title: 'Send a location',
    description: `Sends a location. ${accepted}`,
    input: z.object({ ...common, ...place }),
    output: sent,
    hints: acts,
    run: (given) => send(tools, 'location', given),
  });
  addTool(tools, {
    name: 'send_contact',
    title: 'Send contacts',
    description: `Sends contacts. ${accepted}`,
    input: z.object({ ...common, contacts: z.array(contact).min(1).max(20) }),
    output: sent,
    hints: acts,
    run: (given) => send(tools, 'contact', given),
  });
  addTool(tools, {
    name: 'send_poll',
    title: 'Send a poll',
    description: `Sends a poll; maxAnswers is how many options one person may choose, 1 if omitted. ${accepted}`,
    input: z.object({
      ...common,
      question: z.string().min(1).max(255),
      options: z.array(z.string().min(1).max(100)).min(2).max(12),
      maxAnswers: z.number().int().min(1).max(12).optional(),
    }),
    output: sent,
    hints: acts,
    run: (given) => send(tools, 'poll', given),
  });
};

export const registerSendTools = (tools: Tools): void => {
  registerWords(tools);
  registerMedia(tools);
  registerCards(tools);
};
