/** Sends an image or a video twice: in standard quality, and then in HD. */
import type { PhoneContext } from '../context/context.ts';
import type { ContextOptions } from '../kinds/context.ts';
import { inHd } from '../kinds/hd.ts';
import type { Attachment } from '../kinds/media.ts';
import { compose } from './compose.ts';
import { keyOf } from './compose-changes.ts';
import { deliver, openRoute, shownOf } from './deliver.ts';
import { namedOnWire } from './quote.ts';

/** Both ids. */
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
