/** Names and sizes of files. */
import type { Media } from '../../../api/message.ts';

/** Characters that turn the direction of text around: `exe.fdp` must not look like `pdf.exe`. */
const turning = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

export const fileNameOf = (media: Media | null): string | null => {
  const name = media?.fileName?.replaceAll(turning, '').trim() ?? '';
  return name === '' ? null : name;
};

/** `PDF`, from the name or else the media type. */
export const formatOf = (media: Media): string => {
  const extension = /\.([a-z0-9]{1,5})$/i.exec(fileNameOf(media) ?? '')?.[1];
  return (extension ?? media.mimetype.split(';')[0]?.split('/').at(-1)?.slice(0, 20) ?? '').toUpperCase();
};
