/** MCP tools for files: sends of them, the media of a message, and pictures. */
import { Type } from 'typebox';
import { type Client, CommandError } from './client.ts';
import { briefOf } from './forms.ts';
import {
  about,
  acts,
  choice,
  type Content,
  count,
  device,
  flag,
  idempotencyKey,
  open,
  ownTool,
  reads,
  request,
  sets,
  text,
  textOrNull,
  type WithImage,
} from './tool.ts';

/** Models accept no larger images. */
const maxBytes = 5_242_880;

const tooLarge = new CommandError(
  `The file has more than ${maxBytes / 1_048_576} MB; download it by the HTTP interface`,
);

const read = async (response: Response): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const contentOf = (path: string, mimeType: string, data: string): Content => {
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType };
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType };
  return { type: 'resource', resource: { uri: `handset:${path}`, mimeType, blob: data } };
};

const file = { mimeType: text, bytes: count };

const fileAt = async (client: Client, path: string): Promise<WithImage<object>> => {
  const response = await client.open(path, '*/*');
  const mimeType = (response.headers.get('content-type') ?? 'application/octet-stream').split(';')[0]!;
  const found = await read(response);
  return { value: { mimeType, bytes: found.length }, image: contentOf(path, mimeType, found.toString('base64')) };
};

const mediaCalls = {
  image: ['media', {}],
  document: ['document', {}],
  video: ['video', {}],
  gif: ['video', { gif: true }],
  note: ['video', { note: true }],
  audio: ['audio', {}],
  voice: ['audio', { voice: true }],
  sticker: ['sticker', {}],
  album: ['album', {}],
} as const;

const sendMedia = ownTool({
  name: 'send_media',
  action: 'send',
  title: 'Send a file',
  description:
    'Sends an image (PNG, JPEG, GIF, WebP; at most 10 MB), a document, a video (MP4 with H.264 and AAC), a gif (without sound), a note (round video, at most 60 s), audio (MP3, M4A, AAC, Ogg Opus), a voice message (Ogg Opus, one channel), a sticker, or an album of items. Other forms work if the service has ffmpeg. Exactly one of mediaUrl (up to 100 MB), mediaBase64 (up to 10 MB) and fileId (uploaded by POST /v1/devices/{id}/files within the hour)',
  input: {
    device,
    to: text,
    as: choice('image', 'document', 'video', 'gif', 'note', 'audio', 'voice', 'sticker', 'album'),
    mediaUrl: Type.Optional(text),
    mediaBase64: Type.Optional(text),
    fileId: Type.Optional(text),
    caption: Type.Optional(Type.String({ maxLength: 1024, description: 'Of an image, a document, a video or a gif' })),
    fileName: Type.Optional(text),
    viewOnce: Type.Optional(flag),
    items: Type.Optional(
      Type.Array(open({}), {
        description: 'Of an album: 2 to 30 {mediaUrl | mediaBase64 | fileId, mediaCaption?}',
      }),
    ),
    quotedMessageId: Type.Optional(text),
    sendAt: Type.Optional(text),
    idempotencyKey,
  },
  output: { messageId: text, messageIds: Type.Optional(Type.Array(text)) },
  hints: acts,
  run: (client, { as, caption: mediaCaption, ...given }) => {
    const [kind, more] = mediaCalls[as];
    const content = { ...given, ...more, ...(mediaCaption !== undefined && { mediaCaption }) };
    return request(client, `POST /devices/{device}/messages/${kind}`, content);
  },
});

export const fileTools = [
  sendMedia,
  ownTool({
    name: 'get_media',
    title: 'Fetch the file of a message',
    description: 'The media of a message, up to 5 MB: images and audio as such, other files as a resource',
    input: {
      device,
      messageId: text,
      chat: Type.Optional(Type.String({ description: 'Its JID, where two chats have a message with this id' })),
    },
    output: file,
    hints: reads,
    run: (client, { device: id, messageId, chat }) => {
      const query = chat === undefined ? '' : `?${new URLSearchParams({ chat }).toString()}`;
      return fileAt(client, `/devices/${id}/messages/${encodeURIComponent(messageId)}/media${query}`);
    },
  }),
  ownTool({
    name: 'get_picture',
    title: 'Fetch a picture',
    description: 'The picture of a person or a group',
    input: { device, of: about('A phone number in digits, or a JID') },
    output: file,
    hints: reads,
    run: (client, { device: id, of }) => {
      const kind = of.endsWith('@g.us') ? 'groups' : 'contacts';
      return fileAt(client, `/devices/${id}/${kind}/${encodeURIComponent(of)}/picture`);
    },
  }),
  ownTool({
    name: 'set_picture',
    title: 'Set a picture',
    description: 'Sets the picture of the own profile, or of a group, as one of its administrators',
    input: {
      device,
      group: Type.Optional(text),
      mediaUrl: Type.Unsafe<string | null>({ ...textOrNull, description: 'null removes the picture' }),
    },
    output: { profile: Type.Optional(open({})), group: Type.Optional(open({})) },
    hints: sets,
    run: async (client, { mediaUrl, ...given }) => {
      const path = `/devices/{device}/${given.group === undefined ? 'profile' : 'groups/{group}'}/picture`;
      const answer = await request(client, `${mediaUrl === null ? 'DELETE' : 'PUT'} ${path}`, {
        ...given,
        ...(mediaUrl !== null && { mediaUrl }),
      });
      return briefOf({ ...answer });
    },
  }),
];
