/** Composes the protobuf of a message with a file, which is uploaded first. */
import type { proto } from '../engine/proto.ts';
import { type FileContent, fileIn } from '../../domain/messages/files.ts';
import { type UploadedFile, uploadFile, type Uploader } from '../media/upload.ts';
import type { Session } from '../session.ts';

/**
 * Members as WhatsApp Web has them (whatsmeow, Baileys rc14 and zapo, 2026-08). The sidecars of streamed playback are left out: of these three
 * zapo alone makes them, and the apps play files without.
 */
const bodyOf = (content: FileContent, uploaded: UploadedFile): proto.IMessage => {
  switch (content.kind) {
    case 'image': {
      const { mimetype, width, height, thumbnail, caption } = content.image;
      const shape = { mimetype, jpegThumbnail: thumbnail, width, height };
      return { imageMessage: { ...uploaded, ...shape, ...(caption !== null && { caption }) } };
    }
    case 'document': {
      const { mimetype, fileName, pageCount, caption } = content.document;
      return { documentMessage: { ...uploaded, mimetype, fileName, title: fileName, pageCount, caption } };
    }
    case 'video': {
      const { mimetype, seconds, width, height, thumbnail, isGif, caption } = content.video;
      const shape = { mimetype, seconds, width, height, caption };
      const more = { ...(isGif && { gifPlayback: true }), ...(thumbnail && { jpegThumbnail: thumbnail }) };
      return { videoMessage: { ...uploaded, ...shape, ...more } };
    }
    case 'audio': {
      const { mimetype, seconds, waveform } = content.audio;
      const voice = waveform === null ? { ptt: false } : { ptt: true, waveform };
      return { audioMessage: { ...uploaded, mimetype, seconds, ...voice } };
    }
    case 'sticker': {
      const { width, height, isAnimated } = content.sticker;
      return { stickerMessage: { ...uploaded, mimetype: 'image/webp', width, height, isAnimated } };
    }
  }
};

/** Throws when no media host takes the file, and what the signal is aborted with. */
export const composeFile = async (
  link: Uploader & Pick<Session, 'uploads'>,
  content: FileContent,
  signal: AbortSignal | undefined,
): Promise<proto.IMessage> => bodyOf(content, await link.uploads(() => uploadFile(link, fileIn(content), signal)));
