/** Parts of a message beyond its text and media (docs/spec/messages.md, Message content). */
import { Type } from 'typebox';
import { nullableText, nullableNumber, nullableTimestamp, nullable, oneOf, nullableInteger } from '../../build.ts';
import { messageTypes } from '../../../domain/messages/parts.ts';
import { eventResponses } from '../../../domain/event.ts';

export const PersonSchema = Type.Object(
  {
    jid: Type.String(),
    number: nullableText(),
    lid: nullableText(),
    username: nullableText({ description: 'Null where it is not known. It may change, and go to somebody else' }),
  },
  { title: 'Person' },
);

const PlaceSchema = Type.Object(
  {
    latitude: nullableNumber({ description: 'Degrees; null if out of range' }),
    longitude: nullableNumber({ description: 'Degrees; null if out of range' }),
    name: nullableText(),
    address: nullableText(),
    live: Type.Boolean({ description: 'Whether the sender shares where they are while they move' }),
    accuracyMeters: nullableNumber(),
  },
  { title: 'Location' },
);

const ContactSchema = Type.Object(
  {
    name: nullableText(),
    numbers: Type.Array(Type.String(), { description: 'Digits; of an account of the network, with the country code' }),
    organization: nullableText(),
    vcard: Type.String(),
  },
  { title: 'SharedContact' },
);

export const PollSchema = Type.Object(
  {
    question: Type.String(),
    options: Type.Array(Type.String()),
    maxAnswers: Type.Integer({ description: 'How many options one person may choose' }),
  },
  { title: 'Poll' },
);

export const PlannedEventSchema = Type.Object(
  {
    name: nullableText(),
    description: nullableText(),
    startsAt: nullableTimestamp('When it starts'),
    endsAt: nullableTimestamp('When it ends'),
    place: nullable(PlaceSchema),
    canceled: Type.Boolean(),
  },
  { title: 'PlannedEvent' },
);

const QuotedSchema = Type.Object(
  {
    id: Type.String(),
    from: nullable(PersonSchema),
    type: oneOf(messageTypes),
    text: nullableText(),
  },
  { title: 'Quoted', description: 'The message that it replies to, as the reply repeats it' },
);

const SelectionSchema = Type.Object(
  { id: nullableText(), text: nullableText() },
  { title: 'Selection', description: 'The reply to a button, a list or a template' },
);

const ReferralSchema = Type.Object(
  {
    sourceType: nullableText(),
    sourceId: nullableText(),
    sourceUrl: nullableText(),
    title: nullableText(),
    body: nullableText(),
    mediaUrl: nullableText(),
    clickId: nullableText(),
  },
  { title: 'Referral', description: 'The advertisement that the chat began with' },
);

const LinkSchema = Type.Object(
  { url: Type.String(), title: nullableText(), description: nullableText() },
  { title: 'LinkPreview' },
);

const GroupInviteSchema = Type.Object(
  {
    group: Type.String({ description: 'JID of the group' }),
    subject: nullableText(),
    code: nullableText(),
    expiresAt: nullableTimestamp('When it expires'),
  },
  { title: 'GroupInvite' },
);

export const OrderSchema = Type.Object(
  {
    id: nullableText(),
    itemCount: nullableInteger({ description: 'How many pieces, as the customer’s app says' }),
    items: nullable(
      Type.Array(
        Type.Object({
          id: nullableText(),
          name: nullableText(),
          quantity: nullableInteger(),
          price: nullableNumber({ description: 'Of one piece' }),
        }),
        {
          description:
            'The lines, at most 200. The network tells them only when asked: null until then, and `message.updated` has them a moment later; null for good for orders of the history and those the network does not know any more',
        },
      ),
    ),
    total: nullableNumber({ description: 'In units of the currency, as `price`' }),
    currency: nullableText({ description: 'ISO 4217' }),
  },
  { title: 'Order', description: 'What a customer has put into the cart of a catalogue' },
);

const ProductSchema = Type.Object(
  {
    id: nullableText(),
    name: nullableText(),
    description: nullableText(),
    price: nullableNumber({ description: 'In units of the currency' }),
    currency: nullableText({ description: 'ISO 4217' }),
    url: nullableText(),
  },
  { title: 'Product', description: 'A product of a catalogue' },
);

const AlbumSchema = Type.Object(
  { messageId: Type.String({ description: 'Id of the message of type `album`' }) },
  { title: 'InAlbum', description: 'The album that an image or a video is in' },
);

const HdOfSchema = Type.Object(
  { messageId: Type.String() },
  {
    title: 'InHd',
    description:
      'The message that its writer says this one is the version in HD of. Null where that message has its media now: then there is no message for the version in HD',
  },
);

export const parts = {
  quoted: nullable(QuotedSchema),
  mentions: Type.Array(PersonSchema),
  mentionAll: Type.Boolean({ description: 'It mentions everybody in the group' }),
  forwarded: nullable(
    Type.Object({ times: Type.Integer({ description: '127 and more: many times' }) }, { title: 'Forwarded' }),
  ),
  expiresInSeconds: nullableInteger({ description: 'The timer of the chat under which it was sent' }),
  location: nullable(PlaceSchema),
  contacts: Type.Array(ContactSchema),
  poll: nullable(PollSchema),
  selection: nullable(SelectionSchema),
  referral: nullable(ReferralSchema),
  link: nullable(LinkSchema),
  event: nullable(PlannedEventSchema),
  groupInvite: nullable(GroupInviteSchema),
  order: nullable(OrderSchema),
  product: nullable(ProductSchema),
  album: nullable(AlbumSchema),
  hdOf: nullable(HdOfSchema),
};

/** The forms of `update` caused by people. */
export const updatesByPeople = [
  Type.Object({ reaction: nullableText({ description: 'The emoji; null: removed' }), from: PersonSchema }),
  Type.Object(
    {
      votes: Type.Array(
        Type.Object({ option: nullableText({ description: 'Null if the options of the poll are not known' }) }),
      ),
      from: PersonSchema,
    },
    { description: 'All that the person has chosen in a poll: replaces the earlier vote' },
  ),
  Type.Object(
    { response: oneOf(eventResponses), guests: Type.Integer(), from: PersonSchema },
    { description: 'The answer to an event, with the number of guests that the person brings' },
  ),
  Type.Object({ pinned: Type.Boolean(), from: PersonSchema }),
  Type.Object(
    { expiresInSeconds: nullableInteger(), from: PersonSchema },
    { description: 'The timer of the chat was changed; null: messages stay' },
  ),
];
