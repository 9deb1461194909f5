/** Results of a scripted network: an accepted message, and images. */
import type { MessageRecord } from '../../src/domain/message.ts';
import type { FileContent, FileRequest, EncipheredFile, MediaClass } from '../../src/domain/messages/files.ts';
import type { AddressedMessage } from '../../src/domain/messages/outgoing.ts';
import type { Account } from '../../src/domain/sessions/state.ts';
import { HandsetError } from '../../src/errors.ts';
import { encipherBytes } from '../../src/whatsapp/media/encipher.ts';

export const acceptedRecord = (
  { id, recipient, content }: AddressedMessage,
  account: Account,
  now: number,
): MessageRecord => ({
  id,
  chat: recipient.jid,
  chatNumber: recipient.kind === 'number' ? recipient.number : null,
  chatLid: null,
  direction: 'out',
  from: account.jid,
  fromNumber: account.phoneNumber,
  fromLid: account.lid,
  pushName: null,
  isGroup: recipient.kind === 'group',
  type: content.kind === 'image' ? 'image' : 'text',
  text: content.kind === 'image' ? content.image.caption : content.kind === 'text' ? content.text : null,
  quotedMessageId: null,
  media: null,
  content: null,
  state: 'accepted',
  timestamp: now,
  acceptedAt: now,
  deliveredAt: null,
  readAt: null,
  failedAt: null,
  deletedAt: null,
});

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

/** Accepts anything that begins like a PNG. */
export const takePng = async (bytes: Uint8Array): Promise<Uint8Array> => {
  if (!Buffer.from(bytes).subarray(0, 4).equals(png)) {
    throw new HandsetError('InvalidImage', 'Invalid image format (only PNG, JPEG, GIF, WebP allowed)');
  }
  return bytes;
};

/** Without a temporary file. */
export const encipherInMemory = async (
  source: Uint8Array | AsyncIterable<Uint8Array>,
  kind: MediaClass,
): Promise<EncipheredFile> =>
  encipherBytes(source instanceof Uint8Array ? source : Buffer.concat(await Array.fromAsync(source)), kind);

/** Accepts every file as the kind it is declared to be; images must begin like a PNG. */
export const asSaid = async (file: EncipheredFile, wish: FileRequest, caption: string | null): Promise<FileContent> => {
  const size = { seconds: 1, width: 1, height: 1 };
  switch (wish.kind) {
    case 'image': {
      await takePng(await file.plain.read(0, file.plain.size));
      const image = {
        file,
        mimetype: 'image/png' as const,
        width: 1,
        height: 1,
        thumbnail: new Uint8Array(1),
        caption,
      };
      return { kind: 'image', image };
    }
    case 'document': {
      const { fileName, mimetype } = wish;
      const document = { file, fileName: fileName ?? '', mimetype: mimetype ?? '', pageCount: null, caption };
      return { kind: 'document', document };
    }
    case 'video': {
      const video = { file, mimetype: 'video/mp4', ...size, thumbnail: null, isGif: wish.isGif, caption };
      return { kind: 'video', video };
    }
    case 'audio':
      return { kind: 'audio', audio: { file, mimetype: 'audio/mpeg', seconds: 1, waveform: null } };
    case 'sticker':
      return { kind: 'sticker', sticker: { file, ...size, isAnimated: false } };
  }
};
