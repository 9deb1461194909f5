/** Sends an album: the message that counts its parts, and each part after it. */
import type { PhoneContext } from '../context/context.ts';
import { albumMessage, inAlbum } from '../kinds/album.ts';
import type { ContextOptions } from '../kinds/context.ts';
import type { Attachment } from '../kinds/media.ts';
import { compose } from './compose.ts';
import { keyOf } from './compose-changes.ts';
import { deliver, openRoute, shownOf } from './deliver.ts';
import { namedOnWire } from './quote.ts';

/** Ids of the album and of its parts, in order. */
export const sendAlbum = async (
  phone: PhoneContext,
  to: string,
  items: readonly Attachment[],
  around: ContextOptions,
): Promise<readonly string[]> => {
  const images = items.filter(({ kind }) => kind === 'image').length;
  const album = albumMessage(images, items.length - images);
  const parts = await Promise.all(
    items.map((attachment) => compose({ kind: 'media', attachment }, phone.media, around)),
  );
  const route = await openRoute(phone, to);
  const send = async (message: typeof album): Promise<string> =>
    deliver(phone, { to, route, message, shown: await shownOf(phone, message), withheld: null });
  const ids = [await send(album)];
  const key = keyOf(namedOnWire(phone, phone.view.find(ids[0]!)!));
  for (const part of parts) ids.push(await send(inAlbum(part, key)));
  return ids;
};
