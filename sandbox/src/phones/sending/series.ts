/** Sends messages of several parts: albums, and images and videos in HD. */
import type { PhoneContext } from '../context/context.ts';
import { albumMessage, inAlbum, inHd } from '../kinds/series.ts';
import type { ContextOptions } from '../kinds/context.ts';
import type { Attachment } from '../kinds/media.ts';
import { compose, namedOnWire } from './compose.ts';
import { keyOf } from './compose-changes.ts';
import { deliver, openRoute, shownOf } from './deliver.ts';

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

export const sendInHd = async (
  phone: PhoneContext,
  to: string,
  [standard, hd]: readonly [Attachment, Attachment],
  around: ContextOptions,
): Promise<readonly string[]> => {
  const message = await compose({ kind: 'media', attachment: standard }, phone.media, around);
  const better = await compose({ kind: 'media', attachment: hd }, phone.media, {});
  const route = await openRoute(phone, to);
  const send = async (sent: typeof message): Promise<string> =>
    deliver(phone, { to, route, message: sent, shown: await shownOf(phone, sent), withheld: null });
  const id = await send(message);
  return [id, await send(inHd(better, keyOf(namedOnWire(phone, phone.view.find(id)!))))];
};
