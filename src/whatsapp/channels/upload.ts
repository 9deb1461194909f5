/**
 * Files of posts: not encrypted, by a path of their own. What comes back decides whether anybody will see them: files of the other path got a
 * `direct_path` below `/o1/` and were never shown, and the network refuses media without the handle of its upload (whatsmeow `upload.go`, 33cfac51,
 * 2026-08; docs/real-network.md, Channels).
 */
import { type FileContent, fileIn, type RandomAccessBytes } from '../../domain/messages/files.ts';
import { HandsetError } from '../../errors.ts';
import type { proto } from '../library/proto.ts';
import { store, type Uploader } from '../media/upload.ts';
import { fileBodyOf, framed } from '../send/compose.ts';
import type { Session } from '../session.ts';

const pieceBytes = 262_144;
const maxText = 4_096;
const channelPath = '/m1/';

async function* piecesOf(plain: RandomAccessBytes, from: number): AsyncGenerator<Uint8Array> {
  for (let at = from; at < plain.size; at += pieceBytes) yield await plain.read(at, pieceBytes);
}

/** As whatsmeow and zapo name the paths (2026-08). */
const kindOf = (content: FileContent): string => {
  if (content.kind === 'audio') return content.audio.waveform === null ? 'audio' : 'ptt';
  if (content.kind !== 'video') return content.kind;
  if (content.video.isNote === true) return 'ptv';
  return content.video.isGif ? 'gif' : 'video';
};

const hasThumbnail = ({ kind }: FileContent): boolean => kind === 'image' || kind === 'video';

const textIn = (said: object, name: string): string | null => {
  const value: unknown = Object.entries(said).find(([key]) => key === name)?.[1];
  return typeof value === 'string' && value !== '' && value.length <= maxText ? value : null;
};

const thumbnailIn = (said: object): Pick<proto.Message.IImageMessage, 'thumbnailDirectPath' | 'thumbnailSha256'> => {
  const info: unknown = Object.entries(said).find(([key]) => key === 'thumbnail_info')?.[1];
  if (typeof info !== 'object' || info === null) return {};
  const [thumbnailDirectPath, sha256] = [textIn(info, 'thumbnail_direct_path'), textIn(info, 'thumbnail_sha256')];
  if (thumbnailDirectPath === null || sha256 === null) return {};
  return { thumbnailDirectPath, thumbnailSha256: Buffer.from(sha256, 'base64') };
};

const notUploaded = (why: string): HandsetError =>
  new HandsetError('SendMediaFailed', `Failed to send media message: ${why}; followers would not see it`);

export interface UploadedPost {
  readonly message: proto.IMessage;
  readonly handle: string;
}

/** Throws SendMediaFailed with the reason for an upload that the network would not show. */
export const uploadPost = async (
  session: Uploader & Pick<Session, 'uploads'>,
  content: FileContent,
  signal: AbortSignal | undefined,
): Promise<UploadedPost> => {
  const { plain, sha256 } = fileIn(content);
  const kind = kindOf(content);
  const upload = {
    kind,
    folder: `newsletter/newsletter-${kind}`,
    sha256,
    length: plain.size,
    // As WhatsApp Web (docs/real-network.md, Channels).
    ...(hasThumbnail(content) && { query: '&server_thumb_gen=1' }),
    // Others may upload the same bytes, so what a host already has says nothing about this upload.
    isResumable: false,
    bytes: (from: number) => piecesOf(plain, from),
  };
  const { directPath, said } = await session.uploads(() => store(session, upload, signal));
  if (directPath?.startsWith(channelPath) !== true)
    throw notUploaded('the media host gave it a path that is not of channels');
  const handle = textIn(said, 'handle');
  if (handle === null) throw notUploaded('the media host gave no handle for it');
  const thumbnail = hasThumbnail(content) ? thumbnailIn(said) : {};
  // Without `url`, as WhatsApp Web; whatsmeow sets it.
  const uploaded = { directPath, fileSha256: sha256, fileLength: plain.size, ...thumbnail };
  return { message: framed(fileBodyOf(content, uploaded)), handle };
};
