/**
 * Updates of a live location. They go from phone to phone: linked devices of the network get the first position alone (whatsmeow #24,
 * wppconnect-server #1189). How they travel there is not public; here as a live location that names the message it moves.
 */
import { conflict } from '../../base/errors.ts';
import { isGroup } from '../context/address.ts';
import type { PhoneContext } from '../context/context.ts';
import { locationMessage } from '../kinds/location.ts';
import type { Place } from '../kinds/types.ts';
import type { Shown, ViewMessage } from '../context/view.ts';
import { openRoute } from './deliver.ts';
import { messageId } from '../context/ids.ts';
import { post } from './sending.ts';

export type Position = Pick<Place, 'latitude' | 'longitude' | 'accuracyMeters'>;

const moved = ({ view }: PhoneContext, { id, details }: ViewMessage, location: Place): void => {
  const { latitude, longitude } = location;
  view.change(id, { location, details: { ...details, latitude, longitude } });
};

/** True if a message from this phone was an update, which needs no place of its own on the screen. */
export const takeMove = (phone: PhoneContext, shown: Shown, from: string): boolean => {
  const target = shown.location?.live && shown.quotedId ? phone.view.find(shown.quotedId) : null;
  if (!shown.location || !target?.location?.live || target.from !== from) return false;
  moved(phone, target, { ...target.location, ...shown.location });
  return true;
};

export const sendMove = async (phone: PhoneContext, message: ViewMessage, position: Position): Promise<void> => {
  const { id, chat, fromMe, location } = message;
  if (!fromMe || !location?.live) throw conflict('only an own live location can be moved');
  if (isGroup(chat)) throw conflict('live locations do not move in groups of the sandbox');
  const place = { ...location, ...position };
  const { liveLocationMessage } = locationMessage(place);
  const route = await openRoute(phone, chat);
  const phones = { ...route, own: [], others: route.others.filter(({ device }) => device === 0) };
  const update = { liveLocationMessage: { ...liveLocationMessage, contextInfo: { stanzaId: id } } };
  await post(phone, phones, { id: messageId(), message: update, edit: null });
  moved(phone, message, place);
  phone.changed();
};
