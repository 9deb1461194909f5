/** The content of a message on the screen of a sandbox phone, in words, whichever kind it is. */
import { fullTime, phoneNumber } from '../base/format.ts';
import { texts } from '../base/texts.ts';
import type { PhoneMessage } from './types.ts';

const words = texts.phone;
const { kinds } = words;
const lines: Readonly<Record<string, string>> = words.lines;
const outcomes: Readonly<Record<string, string>> = words.outcomes;

const joined = (...parts: readonly (string | null | undefined)[]): string =>
  parts.filter((part) => part !== null && part !== undefined && part !== '').join(', ');

const amount = (value: number | null, currency: string | null): string | null =>
  value === null ? null : `${value} ${currency ?? ''}`.trim();

const fileKind = ({ type, media }: PhoneMessage): string | null => {
  if (media === null) return null;
  if (type === 'video') return media.gif ? kinds.gif : media.note ? kinds.note : kinds.video;
  if (type === 'audio') return media.voice ? kinds.voice : kinds.audio;
  if (type === 'sticker') return media.animated ? kinds.animated : kinds.sticker;
  return kinds.document;
};

const placeText = (place: PhoneMessage['location'] | null): string => {
  if (!place) return '';
  const { latitude, longitude, name, address } = place;
  return joined(name, address, latitude === null || longitude === null ? null : `${latitude}, ${longitude}`);
};

const personal = ({ location, contacts, event, groupInvite, callLog }: PhoneMessage): string | null => {
  if (location) return joined(location.live ? kinds.live : kinds.location, placeText(location));
  if (contacts) {
    const people = contacts.map(({ name, numbers }) => joined(name, ...numbers.map(phoneNumber)));
    return `${kinds.contact}: ${people.join('; ')}`;
  }
  if (event) {
    const when = event.startsAt === null ? null : fullTime(event.startsAt);
    return joined(event.canceled ? kinds.canceled : kinds.event, event.name, when, placeText(event.place));
  }
  if (groupInvite) return joined(kinds.groupInvite, groupInvite.subject);
  if (!callLog) return null;
  return joined(callLog.video ? kinds.videoCall : kinds.call, outcomes[callLog.outcome]);
};

const commercial = ({ product, order, payment }: PhoneMessage): string | null => {
  if (product) return joined(kinds.product, product.title, amount(product.price, product.currency));
  if (order) return joined(kinds.order, words.items(order.items), amount(order.total, order.currency));
  return payment ? joined(kinds.payment, amount(payment.amount, payment.currency)) : null;
};

/** The line that says which kind of message it is; null for a text. */
const kindOf = (message: PhoneMessage): string | null => {
  const { type, image, media, poll, album, system, expiresInSeconds = 0 } = message;
  if (image !== null) return words.imageOf(image.width ?? 0, image.height ?? 0);
  if (media !== null) {
    return joined(fileKind(message), media.fileName, media.seconds ? words.seconds(media.seconds) : null);
  }
  if (poll) return `${kinds.poll}: ${poll.question}`;
  if (album) return words.albumOf(album.images, album.videos);
  if (system === 'timer') return words.timer(expiresInSeconds);
  if (system !== undefined) return lines[system] ?? system;
  return personal(message) ?? commercial(message) ?? (type === 'unknown' ? kinds.unknown : null);
};

/** Many times, as the network counts. */
const many = 127;

const notesOf = (message: PhoneMessage): readonly string[] => {
  const { forwarded, viewOnce, referral, pinned, expiresInSeconds, system, quoted, edited } = message;
  return [
    quoted && words.quoted(quoted.text ?? quoted.type),
    forwarded && (forwarded.times >= many ? words.forwardedMany : words.forwarded),
    viewOnce && words.viewOnce,
    referral && words.advertisement(referral.title ?? ''),
    pinned && words.pinned,
    edited && words.edited,
    system === undefined && expiresInSeconds ? words.disappears(expiresInSeconds) : null,
  ].filter((note) => typeof note === 'string');
};

export const MessageContent = ({ message }: { readonly message: PhoneMessage }) => {
  if (message.revoked) return <p className="gone">{texts.chat.deleted}</p>;
  const kind = kindOf(message);
  const text = message.text ?? message.image?.caption ?? message.media?.caption;
  const link = joined(message.link?.title, message.link?.description);
  const notes = notesOf(message);
  return (
    <>
      {notes.length > 0 && <p className="kind">{notes.join(' · ')}</p>}
      {kind !== null && <p className="kind">{kind}</p>}
      {text && <p>{text}</p>}
      {link !== '' && <p className="kind">{link}</p>}
      {message.poll?.votes.map(({ option, from }) => (
        <p key={option}>{words.votes(option, from.length)}</p>
      ))}
      {message.comments?.map(({ text: comment }, index) => (
        <p key={index}>{comment}</p>
      ))}
      {message.reactions.length > 0 && <p>{message.reactions.map(({ emoji }) => emoji).join(' ')}</p>}
    </>
  );
};
