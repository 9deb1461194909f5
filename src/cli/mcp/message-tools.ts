/** MCP tools for messages: send a text or an image, read what was sent and received. */
import { z } from 'zod';
import { recipientOf } from '../recipient.ts';
import { type Tools, changes, device, limit, orError, reads, result } from './tool.ts';

export const to = z
  .string()
  .min(1)
  .describe('Recipient: a phone number with country code (digits only), or a JID (…@s.whatsapp.net, …@lid, …@g.us)');

export const idempotencyKey = z
  .string()
  .min(1)
  .max(255)
  .optional()
  .describe('The same key and message are sent once only: give one when a send may be repeated');

export const keyHeader = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { 'idempotency-key': key };

const registerSends = ({ server, client }: Tools): void => {
  server.registerTool(
    'send_text',
    {
      description: 'Sends a text message. Success means that the network has accepted it',
      inputSchema: z.object({
        device,
        to,
        message: z.string().min(1).max(65_536),
        linkPreview: z.boolean().optional().describe('With a preview of the first link'),
        idempotencyKey,
      }),
      annotations: changes,
    },
    (given) =>
      orError(async () => {
        const { message, linkPreview } = given;
        const body = { ...recipientOf(given.to), message, ...(linkPreview === undefined ? {} : { linkPreview }) };
        const path = `/devices/${given.device}/messages/text`;
        return result(await client.call('POST', path, body, keyHeader(given.idempotencyKey)));
      }),
  );
  server.registerTool(
    'send_image',
    {
      description: 'Sends an image (PNG, JPEG, GIF, WebP; at most 10 MB). Exactly one of mediaUrl and mediaBase64',
      inputSchema: z.object({
        device,
        to,
        mediaUrl: z.url().optional(),
        mediaBase64: z.string().optional(),
        caption: z.string().max(1024).optional(),
        idempotencyKey,
      }),
      annotations: changes,
    },
    (given) =>
      orError(async () => {
        const { mediaUrl, mediaBase64, caption: mediaCaption } = given;
        const body = { ...recipientOf(given.to), mediaUrl, mediaBase64, mediaCaption };
        const path = `/devices/${given.device}/messages/media`;
        return result(await client.call('POST', path, body, keyHeader(given.idempotencyKey)));
      }),
  );
};

const registerDocument = ({ server, client }: Tools): void => {
  server.registerTool(
    'send_document',
    {
      description:
        'Sends a file of any kind: by mediaUrl up to 100 MB, or in mediaBase64 up to 10 MB; exactly one of them. Name and type are recognised if omitted',
      inputSchema: z.object({
        device,
        to,
        mediaUrl: z.url().optional(),
        mediaBase64: z.string().optional(),
        fileName: z.string().min(1).max(255).optional(),
        mimetype: z.string().optional(),
        caption: z.string().max(1024).optional(),
        idempotencyKey,
      }),
      annotations: changes,
    },
    ({ device: id, to: recipient, caption: mediaCaption, idempotencyKey: key, ...file }) =>
      orError(async () => {
        const body = { ...recipientOf(recipient), ...file, mediaCaption };
        return result(await client.call('POST', `/devices/${id}/messages/document`, body, keyHeader(key)));
      }),
  );
};

/** The call and more of the body, by what the file is sent as. */
const mediaCalls = {
  video: ['video', {}],
  gif: ['video', { gif: true }],
  audio: ['audio', {}],
  voice: ['audio', { voice: true }],
  sticker: ['sticker', {}],
} as const;

const registerMedia = ({ server, client }: Tools): void => {
  server.registerTool(
    'send_media',
    {
      description:
        'Sends a video (MP4 with H.264 and AAC), a gif (the same, without sound), audio (MP3, M4A, AAC, Ogg Opus), a voice message (Ogg Opus, one channel) or a sticker (WebP, or PNG, JPEG and GIF, which are converted). Other forms work if the service has ffmpeg. Exactly one of mediaUrl (up to 100 MB) and mediaBase64 (up to 10 MB)',
      inputSchema: z.object({
        device,
        to,
        as: z.enum(['video', 'gif', 'audio', 'voice', 'sticker']),
        mediaUrl: z.url().optional(),
        mediaBase64: z.string().optional(),
        caption: z.string().max(1024).optional().describe('Of a video or a gif'),
        quotedMessageId: z.string().optional().describe('The message of this chat that it answers'),
        idempotencyKey,
      }),
      annotations: changes,
    },
    ({ device: id, to: recipient, as, caption: mediaCaption, idempotencyKey: key, ...file }) =>
      orError(async () => {
        const [kind, more] = mediaCalls[as];
        const body = {
          ...recipientOf(recipient),
          ...file,
          ...more,
          ...(mediaCaption !== undefined && { mediaCaption }),
        };
        return result(await client.call('POST', `/devices/${id}/messages/${kind}`, body, keyHeader(key)));
      }),
  );
};

/** Members that are given, as a query. */
export const queryOf = (given: Readonly<Record<string, string | number | boolean | undefined>>): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) query.set(name, String(value));
  return `?${query.toString()}`;
};

const registerReads = ({ server, client }: Tools): void => {
  server.registerTool(
    'list_messages',
    {
      description:
        'Messages that a device sent and received, newest first, with how far each one got. A search may give an empty page with a nextCursor: go on with it',
      inputSchema: z.object({
        device,
        chat: z.string().optional().describe('Only those of this chat (JID)'),
        q: z.string().min(1).max(200).optional().describe('Only those that contain all of these words'),
        type: z.string().optional().describe('Only this type: text, image, document, …'),
        from: z.string().optional().describe('Only those of this sender (number or JID)'),
        since: z.string().optional().describe('From this time on (RFC 3339)'),
        until: z.string().optional().describe('Up to this time (RFC 3339)'),
        limit,
        cursor: z.string().optional().describe('nextCursor of the page before'),
      }),
      annotations: reads,
    },
    ({ device: id, ...filter }) =>
      orError(async () => result(await client.call('GET', `/devices/${id}/messages${queryOf(filter)}`))),
  );
  server.registerTool(
    'get_message',
    {
      description: 'One message, with its state (pending, accepted, delivered, read, failed) and the time of each step',
      inputSchema: z.object({ device, messageId: z.string().min(1) }),
      annotations: reads,
    },
    ({ device: id, messageId }) =>
      orError(async () => result(await client.call('GET', `/devices/${id}/messages/${encodeURIComponent(messageId)}`))),
  );
};

export const registerMessageTools = (tools: Tools): void => {
  registerSends(tools);
  registerDocument(tools);
  registerMedia(tools);
  registerReads(tools);
};
