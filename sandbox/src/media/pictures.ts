/** Profile pictures on the media host: a JPEG and its preview, not encrypted. */
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import type { Blobs } from './blobs.ts';

const previewPixels = 96;

/** Download path of a picture, without the host. */
const picturePath = (token: string): string => `/v/t61.24694-24/${token}.jpg?oh=sandbox`;

/** The token of a picture's path, or null when the path is none. */
export const pictureTokenOf = (path: string): string | null =>
  /^\/v\/t61\.24694-24\/([A-Za-z0-9_-]{43})\.jpg(?:\?|$)/.exec(path)?.[1] ?? null;

/** Keeps a picture, and gives the paths of both files; null for bytes that are no JPEG. */
export const keepPicture = async (
  blobs: Blobs,
  bytes: Uint8Array,
): Promise<{ readonly image: string; readonly preview: string } | null> => {
  const { format } = await sharp(bytes)
    .metadata()
    .catch(() => ({ format: null }));
  if (format !== 'jpeg') return null;
  const keep = async (file: Uint8Array): Promise<string> => {
    const token = createHash('sha256').update(file).digest('base64url');
    await blobs.put(token, file);
    return picturePath(token);
  };
  const preview = await sharp(bytes).resize(previewPixels, previewPixels).jpeg().toBuffer();
  return { image: await keep(bytes), preview: await keep(preview) };
};
